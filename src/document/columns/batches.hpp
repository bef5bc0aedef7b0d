// batches.hpp - rows waiting to be written, table by table.
//
// take() builds the message of one table and empties it. What a message means is in
// docs/document-format.md; this is the only place that knows how rows become columns.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "document/columns/column_set.hpp"
#include "document/columns/rows.hpp"

namespace reel::document {

enum class TableId : std::uint8_t {
  texts,
  devices,
  streams,
  buffers,
  kernels,
  works,
  commands,
  stamps,
  orders,
  contents,
  calls,
  allocations,
  regions,
  overheads,
  clocks,
  edges,
  notes
};
inline constexpr std::array table_topics{
    "/texts",    "/devices",   "/streams", "/buffers",  "/kernels", "/works",
    "/commands", "/stamps",    "/orders",  "/contents", "/calls",   "/allocations",
    "/regions",  "/overheads", "/clocks",  "/edges",    "/notes"};
inline constexpr std::size_t table_count = table_topics.size();

class Batches {
 public:
  void add_text(std::uint32_t id, std::string_view text);
  void add(const DeviceRow& row) { devices_.push_back(row); }
  void add(const StreamRow& row) { streams_.push_back(row); }
  void add(const BufferRow& row) { buffers_.push_back(row); }
  // `blobs` are the names of the variants' texts, empty where there is none.
  void add(const KernelRow& row, std::vector<std::string> blobs);
  void add(const WorkRow& row, std::uint32_t id);
  void add(const CommandRow& row);
  void add(const StampRow& row);
  void add(const OrderRow& row) { orders_.add(row.command, row.stream, row.after); }
  void add(const ContentsRow& row);
  void add(const CallRow& row);
  void add(const AllocationRow& row) { allocations_.add(row.freed, row.buffer, row.time_ns); }
  void add(const RegionRow& row);
  void add(const OverheadRow& row);
  void add(const ClockRow& row);
  void add(const EdgeRow& row) { edges_.add(row.graph, row.from, row.to, row.kind); }
  void add(const NoteRow& row) { notes_.push_back(row); }

  std::size_t rows(TableId table) const;
  // The finished message; valid until the next take().
  std::span<const std::byte> take(TableId table);

 private:
  struct NamedKernel {
    KernelRow row;
    std::vector<std::string> blobs;
  };
  flatbuffers::Offset<schema::Batch> build(TableId table);
  flatbuffers::Offset<schema::Kernel> build(const NamedKernel& kernel);
  flatbuffers::Offset<schema::Device> build(const DeviceRow& row);
  void clear(TableId table);

  flatbuffers::FlatBufferBuilder builder_{1 << 16};
  ColumnSet<1> text_ids_;
  std::vector<std::string> texts_;
  std::vector<DeviceRow> devices_;
  std::vector<StreamRow> streams_;
  std::vector<BufferRow> buffers_;
  std::vector<NamedKernel> kernels_;
  ColumnSet<20> works_;
  ColumnSet<6> arguments_;
  std::vector<std::byte> values_;
  ColumnSet<8> commands_;
  ColumnSet<6> stamps_;
  ColumnSet<3> orders_;
  ColumnSet<7> contents_;
  std::vector<Hash128> pages_;
  ColumnSet<5> calls_;
  ColumnSet<3> allocations_;
  ColumnSet<6> regions_;
  ColumnSet<5> overheads_;
  ColumnSet<4> clocks_;
  ColumnSet<4> edges_;
  std::vector<NoteRow> notes_;
};

}  // namespace reel::document
