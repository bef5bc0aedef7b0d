// batches.hpp - rows waiting to be written, table by table.
//
// take() builds the message of one table and empties it. What a message means is in
// docs/document-format.md; this is the only place that knows how rows become columns.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "document/columns/column_set.hpp"
#include "document/columns/rows.hpp"

namespace reel::document {

class Batches {
 public:
  void add_text(std::uint32_t id, std::string_view text);
  void add(const DeviceRow& row) { devices_.push_back(row); }
  void add(const StreamRow& row) { streams_.push_back(row); }
  void add(const BufferRow& row) { buffers_.push_back(row); }
  // `blobs` are the names of the variants' texts, empty where there is none.
  void add(const KernelRow& row, std::vector<std::string> blobs);
  void add(WorkRow row, std::uint32_t id);
  void add(const CommandRow& row) { commands_.add(row); }
  void add(const StampRow& row) { stamps_.add(row); }
  void add(const OrderRow& row) { orders_.add(row); }
  void add(const ContentsRow& row);
  void add(const CallRow& row) { calls_.add(row); }
  void add(const AllocationRow& row) { allocations_.add(row); }
  void add(const RegionRow& row) { regions_.add(row); }
  void add(const OverheadRow& row) { overheads_.add(row); }
  void add(const ClockRow& row) { clocks_.add(row); }
  void add(const EdgeRow& row) { edges_.add(row); }
  void add(const NoteRow& row) { notes_.push_back(row); }
  void add(const SubmissionRow& row) { submissions_.add(row); }
  void add(const IntervalRow& row) { intervals_.add(row); }
  void add(const HostClockRow& row) { host_clocks_.add(row); }
  void add(const BarrierRow& row) { barriers_.add(row); }

  std::size_t rows(TableId table) const;
  // The finished message; valid until the next take().
  std::span<const std::byte> take(TableId table);

 private:
  struct NamedKernel {
    KernelRow row;
    std::vector<std::string> blobs;
  };
  // Columns, and what belongs to their rows.
  struct Texts {
    ColumnSet<columns::texts> ids;
    std::vector<std::string> strings;
    std::size_t size() const noexcept { return strings.size(); }
    void clear();
  };
  struct Works {
    ColumnSet<columns::works> works;
    ColumnSet<columns::arguments> arguments;
    std::vector<std::byte> values;
    std::size_t size() const noexcept { return works.size(); }
    void clear();
  };
  struct Contents {
    ColumnSet<columns::contents> contents;
    std::vector<Hash128> pages;
    std::size_t size() const noexcept { return contents.size(); }
    void clear();
  };

  // Calls with the table of this number.
  template <class Self, class Visit>
  static auto visit(Self& self, TableId table, Visit visit);

  using Table = flatbuffers::Offset<void>;  // of schema.fbs
  Table build(const Texts& texts);
  Table build(const Works& works);
  Table build(const Contents& contents);
  template <const auto& columns>
  Table build(const ColumnSet<columns>& set);
  template <class Row>
  Table build(const std::vector<Row>& rows);
  flatbuffers::Offset<schema::Device> build_row(const DeviceRow& row);
  flatbuffers::Offset<schema::Stream> build_row(const StreamRow& row);
  flatbuffers::Offset<schema::Buffer> build_row(const BufferRow& row);
  flatbuffers::Offset<schema::Kernel> build_row(const NamedKernel& kernel);
  flatbuffers::Offset<schema::Note> build_row(const NoteRow& row);

  flatbuffers::FlatBufferBuilder builder_{1 << 16};
  Texts texts_;
  std::vector<DeviceRow> devices_;
  std::vector<StreamRow> streams_;
  std::vector<BufferRow> buffers_;
  std::vector<NamedKernel> kernels_;
  Works works_;
  ColumnSet<columns::commands> commands_;
  ColumnSet<columns::stamps> stamps_;
  ColumnSet<columns::orders> orders_;
  Contents contents_;
  ColumnSet<columns::calls> calls_;
  ColumnSet<columns::allocations> allocations_;
  ColumnSet<columns::regions> regions_;
  ColumnSet<columns::overheads> overheads_;
  ColumnSet<columns::clocks> clocks_;
  ColumnSet<columns::edges> edges_;
  std::vector<NoteRow> notes_;
  ColumnSet<columns::submissions> submissions_;
  ColumnSet<columns::barriers> barriers_;
  ColumnSet<columns::intervals> intervals_;
  ColumnSet<columns::host_clocks> host_clocks_;
};

}  // namespace reel::document
