// batch_columns.hpp - the columns of one batch, decoded side by side.
//
// Memory is kept from batch to batch. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "document/columns/file_columns.hpp"
#include "document/columns/numbers.hpp"

namespace reel::document {

// More rows than any writer puts in a batch (it takes some thousand); a column of equal values
// could claim four billion.
inline constexpr std::size_t most_rows_per_batch = 1u << 20;

class BatchColumns {
 public:
  using Column = std::vector<std::uint64_t>;

  // The number of rows of a table of schema.fbs that has these columns, which the first of them
  // tells. None where it tells too many, or where the columns contradict each other or themselves.
  std::optional<std::size_t> decode(const auto& columns, const flatbuffers::Table& table) {
    const std::size_t rows = rows_of(numbers(table, columns[0]));
    if (rows > most_rows_per_batch) return std::nullopt;
    columns_.resize(std::max(columns_.size(), columns.size()));
    wrong_.clear();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const schema::Numbers* stored = numbers(table, columns[c]);
      if (!stored)
        columns_[c].assign(rows, columns[c].if_absent);
      else if (!document::decode(stored, rows, columns_[c]))
        return std::nullopt;
      if (columns[c].has_32_bits()) find_wrong(columns_[c]);
    }
    return rows;
  }
  const Column& operator[](std::size_t column) const { return columns_[column]; }
  // Whether a number of the row has more bits than its column may have.
  bool is_wrong(std::size_t row) const { return !wrong_.empty() && wrong_[row]; }

 private:
  static const schema::Numbers* numbers(const flatbuffers::Table& table, const FileColumn& column) {
    return table.GetPointer<const schema::Numbers*>(flatbuffers::FieldIndexToOffset(column.slot));
  }
  void find_wrong(const Column& column) {
    std::uint64_t all = 0;
    for (const std::uint64_t number : column) all |= number;
    if (all >> 32 == 0) return;
    wrong_.resize(column.size());
    for (std::size_t i = 0; i < column.size(); ++i)
      if (column[i] >> 32 != 0) wrong_[i] = true;
  }

  std::vector<Column> columns_;
  std::vector<bool> wrong_;  // by row; empty: none is
};

}  // namespace reel::document
