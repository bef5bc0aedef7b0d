// batch_columns.hpp - the columns of one batch, decoded side by side.
//
// Memory is kept from batch to batch. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "document/columns/numbers.hpp"

namespace reel::document {

// More rows than any writer puts in a batch (it takes some thousand); a column of equal values
// could claim four billion.
inline constexpr std::size_t most_rows_per_batch = 1u << 20;

struct ColumnSource {
  const schema::Numbers* numbers = nullptr;
  std::uint64_t if_absent = 0;  // what each row has in a document that lacks the column
};

class BatchColumns {
 public:
  using Column = std::vector<std::uint64_t>;

  // The number of rows, which the first column tells. None where it tells too many, or where the
  // columns contradict each other or themselves.
  std::optional<std::size_t> decode(std::initializer_list<ColumnSource> sources) {
    const std::size_t rows = rows_of(sources.begin()->numbers);
    if (rows > most_rows_per_batch) return std::nullopt;
    std::size_t at = 0;
    for (const ColumnSource& source : sources) {
      Column& column = columns_[at++];
      if (!source.numbers)
        column.assign(rows, source.if_absent);
      else if (!document::decode(source.numbers, rows, column))
        return std::nullopt;
    }
    return rows;
  }
  const Column& operator[](std::size_t column) const { return columns_[column]; }

 private:
  std::array<Column, 20> columns_;
};

}  // namespace reel::document
