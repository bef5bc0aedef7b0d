// batch_reader.hpp - one message of a document in, rows out.
//
// This is the only place that reads FlatBuffers. A message is verified before anything in it is
// believed; a batch that contradicts itself is left out as a whole, a row with numbers that mean
// nothing by itself. Whether the ids in a row exist is not known here. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/columns/batch_columns.hpp"
#include "document/trace/loading/load_budget.hpp"
#include "document/trace/loading/problems.hpp"
#include "document/trace/trace_tables.hpp"

namespace reel::document {

class BatchReader {
 public:
  // Borrows all three.
  BatchReader(RawTables& tables, Problems& problems, LoadBudget& budget)
      : tables_(tables), problems_(problems), budget_(budget) {}

  // The same topic as a literal, where its messages are batches that are known here; else empty.
  static std::string_view known(std::string_view topic);
  // `topic`: as known() gave it. The message may begin at any address.
  void read(std::string_view topic, std::span<const std::byte> message);

 private:
  void read_tables(const schema::Batch& batch);

  // Rows that are tables of their own: batch_rows.cpp.
  void read(const schema::Texts& batch);
  void read(const schema::Devices& batch);
  void read(const schema::Streams& batch);
  void read(const schema::Buffers& batch);
  void read(const schema::Kernels& batch);
  void read(const schema::Notes& batch);
  TraceKernel kernel(const schema::Kernel& row);

  // Rows that are columns: batch_tables.cpp, and batch_works.cpp.
  void read(const schema::Works& batch);
  void read(const schema::Commands& batch);
  void read(const schema::Stamps& batch);
  void read(const schema::Orders& batch);
  void read(const schema::Contents& batch);
  void read(const schema::Calls& batch);
  void read(const schema::Allocations& batch);
  void read(const schema::Regions& batch);
  void read(const schema::Overheads& batch);
  void read(const schema::Clocks& batch);
  void read(const schema::Edges& batch);
  void read(const schema::Submissions& batch);
  void read(const schema::Intervals& batch);
  void read(const schema::HostClocks& batch);
  void read(const schema::Barriers& batch);

  // Puts the columns of a batch into columns_, in the order of `columns`, and says how many rows
  // there are: none where they can't be read or paid for. Valid until the next batch.
  template <const auto& columns>
  std::size_t decode(std::string_view topic, std::size_t row_bytes, const auto& batch) {
    const auto rows = columns_.decode(columns, table_of(batch));
    return take_rows(topic, row_bytes, rows, columns[0].slot, table_of(batch));
  }
  // The same, by name of each.
  template <const auto& columns>
  std::array<std::span<const std::uint64_t>, columns.size()> decode_apart(std::string_view topic,
                                                                          std::size_t row_bytes,
                                                                          const auto& batch) {
    const std::size_t rows = decode<columns>(topic, row_bytes, batch);
    std::array<std::span<const std::uint64_t>, columns.size()> decoded;
    for (std::size_t c = 0; c < columns.size() && rows > 0; ++c)
      decoded[c] = std::span(columns_[c]).first(rows);
    return decoded;
  }
  std::size_t take_rows(std::string_view topic, std::size_t row_bytes,
                        std::optional<std::size_t> rows, std::uint8_t first_slot,
                        const flatbuffers::Table& batch);
  // Rows as the columns say; is_right(row): the numbers go together.
  template <const auto& columns, class Row, class Right>
  void read_rows(std::string_view topic, const auto& batch, std::vector<Row>& into,
                 Right&& is_right);
  template <const auto& columns, class Row>
  static void set(Row& row, const BatchColumns& decoded, std::size_t i) {
    for_each_column<columns>([&](auto c) { columns[c].set(row, decoded[c][i]); });
  }
  // A batch was verified as what it is; all of them are tables.
  static const flatbuffers::Table& table_of(const auto& batch) {
    return reinterpret_cast<const flatbuffers::Table&>(batch);
  }
  bool pay(std::string_view table, std::uint64_t bytes, std::uint64_t rows = 1);
  // A copy, in valid UTF-8; empty where it can't be paid for.
  std::string text(std::string_view table, const flatbuffers::String* text);

  RawTables& tables_;
  Problems& problems_;
  LoadBudget& budget_;
  BatchColumns columns_, arguments_;
  std::vector<std::uint64_t> aligned_;  // the message, where it can be read from
};

}  // namespace reel::document
