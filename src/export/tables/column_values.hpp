// column_values.hpp - cells of a column, many rows at a time, for files that have columns.
//
// Cells that rows share are made once. Source and column must outlive it. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/tables/tables.hpp"

namespace reel {

// What a row has, in 64 bits: a number, 1 or 0, the bits of a double. 0 where nothing is known.
struct NumberRows {
  std::vector<std::uint64_t> values;
  std::vector<std::uint8_t> known;  // 1 or 0
  std::uint64_t unknown = 0;        // how many
};

class NumberColumn {
 public:
  NumberColumn(const tables::Column& column, tables::Source& source);
  void read(std::uint64_t begin, std::uint64_t end, NumberRows& rows);
  // How many cells so far held a number of 2^63 or more that an integer can't be: not known.
  std::uint64_t too_large() const noexcept { return too_large_; }

 private:
  std::optional<std::uint64_t> cell_at(std::uint64_t row);

  const tables::Column& column_;
  tables::Source& source_;
  std::uint64_t too_large_ = 0;
  std::vector<std::uint64_t> shared_;  // by key
  std::vector<std::uint8_t> state_;    // of those: 0 not made yet, 1 known, 2 not known
};

// "3 rows of commands.started_ns hold …", where that is so.
void tell_too_large(const tables::Table& table, const tables::Column& column,
                    const NumberColumn& numbers, std::vector<std::string>& left_out);

class TextColumn {
 public:
  static constexpr std::uint32_t no_text = std::numeric_limits<std::uint32_t>::max();
  // More distinct texts than this, or more bytes, are not numbered: every row has its own then.
  static constexpr std::size_t most_texts = 1u << 16, most_bytes = 16u << 20;

  TextColumn(const tables::Column& column, tables::Source& source);
  // The texts of rows as places in texts(), which grows. False: there are too many.
  bool read(std::uint64_t begin, std::uint64_t end, std::vector<std::uint32_t>& places);
  const std::deque<std::string>& texts() const noexcept { return texts_; }
  void forget();  // all texts

  // The text of one row, valid UTF-8; none where it has none.
  std::optional<std::string> text_at(std::uint64_t row);

 private:
  std::uint32_t place_at(std::uint64_t row);

  const tables::Column& column_;
  tables::Source& source_;
  std::deque<std::string> texts_;
  std::size_t bytes_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> places_;
  std::vector<std::uint32_t> shared_;  // by key: a place, no_text, or not_made
};

}  // namespace reel
