// mcap_writer.hpp - writes an MCAP file from front to back.
//
// Messages gather in a chunk, which is compressed and written when it is full or when asked;
// everything else is written at once. Each write is whole records, so whatever ends the program
// leaves a file that reads up to the last of them. Only close() makes it complete: a writer that is
// destroyed without it writes nothing more. Borrows the file. One thread at a time.
//
// A write that fails (Error, io_failed) is the end of the writer: every later call repeats the
// error, and the file stays as it was before.
#pragma once

#include <memory>

#include "document/files/output_file.hpp"
#include "document/mcap/mcap_summary.hpp"

struct ZSTD_CCtx_s;

namespace reel::mcap {

struct WriterOptions {
  std::uint64_t chunk_bytes = std::uint64_t{1} << 20;  // uncompressed; a chunk past it is written
  int zstd_level = 1;
};

class Writer {
 public:
  // The file is empty, and outlives the writer.
  Writer(OutputFile& file, const Header& header, const WriterOptions& options = {});
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();

  // The ids that come back count from 1. `schema_id` 0: the channel has none.
  std::uint16_t add_schema(std::string name, std::string encoding, std::span<const std::byte> data);
  std::uint16_t add_channel(std::string topic, std::string message_encoding,
                            std::uint16_t schema_id, StringMap metadata = {});

  // The data is copied before the call returns.
  void message(std::uint16_t channel, std::uint64_t log_time, std::span<const std::byte> data);
  void attachment(const Attachment& attachment);
  void metadata(const Metadata& metadata);

  void flush_chunk();  // writes what has gathered, if anything
  void close();        // once more does nothing

  std::uint64_t written_bytes() const { return file_.size_bytes(); }
  std::uint64_t pending_bytes() const { return chunk_.size(); }

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx_s* context) const;
  };

  void check_open() const;
  void compress_chunk(WrittenChunk& chunk);
  void write_out();  // what out_ has, and empties it
  void write_out(std::initializer_list<std::span<const std::byte>> parts, const DataChecks& checks);

  OutputFile& file_;
  WriterOptions options_;
  std::unique_ptr<ZSTD_CCtx_s, FreeContext> context_;
  Summary summary_;
  DataChecks checks_;                            // of what is in the file
  RecordBuffer chunk_;                           // records of the chunk that gathers
  RecordBuffer out_;                             // what is written next
  std::vector<ChannelEntries> entries_;          // of that chunk; channel i + 1
  std::vector<std::uint32_t> sequences_;         // the next of each channel
  std::uint64_t start_time_ = 0, end_time_ = 0;  // of that chunk
  std::uint16_t schemas_ = 0;
  bool closed_ = false;
  std::string failure_;  // what the first error said
};

}  // namespace reel::mcap
