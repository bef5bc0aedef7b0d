// column_set.hpp - the columns of one table while its batch is being filled.
//
// `columns` is one of the lists of file_columns.hpp. Memory is kept from batch to batch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
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
  template <class... T>
  void add(T... row) {
    static_assert(sizeof...(T) == columns.size(), "one value a column");
    std::size_t column = 0;
    (values_[column++].push_back(static_cast<std::uint64_t>(row)), ...);
  }
  std::size_t size() const noexcept { return values_[0].size(); }
  void clear() {
    for (auto& column : values_) column.clear();
  }
  void encode(flatbuffers::FlatBufferBuilder& builder, Fields& fields) const {
    for (std::size_t i = 0; i < values_.size(); ++i)
      fields.emplace_back(columns[i].slot, document::encode(builder, values_[i]).o);
  }

 private:
  std::array<std::vector<std::uint64_t>, columns.size()> values_;
};

}  // namespace reel::document
