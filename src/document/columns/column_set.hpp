// column_set.hpp - the columns of one table while its batch is being filled.
//
// `columns` is one of the lists of file_columns.hpp. Memory is kept from batch to batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "document/columns/file_columns.hpp"
#include "document/columns/numbers.hpp"

namespace reel::document {

// Fields of a table of schema.fbs, by slot.
using Fields = std::vector<std::pair<std::uint8_t, flatbuffers::Offset<void>>>;

// The table that has them. They are written from the last to the first, as flatc's code does.
inline flatbuffers::Offset<void> finish_table(flatbuffers::FlatBufferBuilder& builder,
                                              Fields fields) {
  std::ranges::sort(fields, std::greater(), [](const auto& field) { return field.first; });
  const auto start = builder.StartTable();
  for (const auto& [slot, offset] : fields)
    builder.AddOffset(flatbuffers::FieldIndexToOffset(slot), offset);
  return builder.EndTable(start);
}

template <const auto& columns>
class ColumnSet {
 public:
  template <class Row>
  void add(const Row& row) {
    if (rows_ == room_) grow();
    std::uint64_t* at = values_.data() + rows_++;
    for_each_column<columns>([&](auto c) { at[c * stride()] = columns[c].get(row); });
  }
  std::size_t size() const noexcept { return rows_; }
  void clear() noexcept { rows_ = 0; }
  void encode(flatbuffers::FlatBufferBuilder& builder, Fields& fields) const {
    for (std::size_t i = 0; i < columns.size(); ++i)
      fields.emplace_back(columns[i].slot, document::encode(builder, column(i)).o);
  }

 private:
  std::span<const std::uint64_t> column(std::size_t i) const noexcept {
    if (rows_ == 0) return {};
    return {values_.data() + i * stride(), rows_};
  }
  // From column to column. A line of the cache more than there is room, or else the columns of a
  // row would all want the same place in it.
  std::size_t stride() const noexcept { return room_ + 8; }
  void grow() {
    ColumnSet larger;  // nothing changes where there is no memory for it
    larger.room_ = std::max<std::size_t>(256, 2 * room_);
    larger.values_.resize(columns.size() * larger.stride());
    for (std::size_t i = 0; i < columns.size() && rows_ > 0; ++i)
      std::copy_n(values_.data() + i * stride(), rows_,
                  larger.values_.data() + i * larger.stride());
    values_ = std::move(larger.values_);
    room_ = larger.room_;
  }

  std::vector<std::uint64_t> values_;  // column by column
  std::size_t rows_ = 0, room_ = 0;
};

}  // namespace reel::document
