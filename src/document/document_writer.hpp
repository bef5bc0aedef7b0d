// document_writer.hpp - rows in, a .reel file out.
//
// Collects rows into batches and blobs into attachments. Rows may come in any order, except that a
// blob or text must be given before the row that names it. Memory is bounded: a batch is written
// when it is full, and flush() writes what there is. Every call may throw io_failed; the file is
// then what was whole before. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "document/columns/rows.hpp"
#include "document/files/output_file.hpp"

namespace reel::document {

using Facts = std::map<std::string, std::string>;

struct DocumentOptions {
  bool overwrite = false;
  unsigned mode = 0600;  // as of OutputFile, and so is the next
  bool out_of_the_way = false;
  int zstd_level = 1;
  Facts run_facts = {};  // of the run that it belongs to: a record of their own
};

// The name of a blob in the container.
std::string blob_name(const Hash128& id);

class DocumentWriter {
 public:
  DocumentWriter(const std::string& path, const Facts& facts, const DocumentOptions& options = {});
  ~DocumentWriter();  // without close(): the file stays without its index
  DocumentWriter(const DocumentWriter&) = delete;
  DocumentWriter& operator=(const DocumentWriter&) = delete;

  // Facts of the run that were not known when it was opened.
  void run_facts(const Facts& facts);
  // The number of this text; each is written once. 0 is the empty one.
  std::uint32_t text(std::string_view text);
  // Writes the bytes if no blob has them yet. True when they were new.
  bool blob(const Hash128& id, std::span<const std::byte> bytes);
  bool has_blob(const Hash128& id) const;

  void add(const DeviceRow& row);
  void add(const StreamRow& row);
  void add(const BufferRow& row);
  void add(const KernelRow& row);
  std::uint32_t add(const WorkRow& row);  // returns its number; the caller finds equal ones
  void add(const CommandRow& row);
  void add(const StampRow& row);
  void add(const OrderRow& row);
  void add(const ContentsRow& row);
  void add(const CallRow& row);
  void add(const AllocationRow& row);
  void add(const RegionRow& row);
  void add(const OverheadRow& row);
  void add(const ClockRow& row);
  void add(const EdgeRow& row);
  void add(const NoteRow& row);
  void add(const SubmissionRow& row);
  void add(const IntervalRow& row);
  void add(const HostClockRow& row);
  void add(const BarrierRow& row);

  void flush();                        // everything so far reaches the file
  void sync();                         // what reached the file, its disk
  void wait_for_disk();                // the same without what the file system notes
  void close(const Facts& end_facts);  // flush, the index, and the name it was asked for under
  void discard() noexcept;             // the file is taken away again
  std::uint64_t file_bytes() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace reel::document
