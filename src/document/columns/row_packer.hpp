// row_packer.hpp - makes PackedRows, row by row.
//
// Rows that were added can be read at once, packed already or not. One thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "reel/packed_rows.hpp"

namespace reel::document {

template <std::size_t Columns>
class RowPacker {
 public:
  using Rows = PackedRows<Columns>;
  static constexpr std::size_t block_rows = Rows::block_rows;

  std::size_t size() const noexcept { return packed_.size() + open_; }

  template <class... Value>
  void add(Value... values) {
    static_assert(sizeof...(Value) == Columns, "one value a column");
    if (waiting_.empty()) waiting_.resize(Columns * block_rows);
    std::size_t column = 0;
    ((waiting_[column++ * block_rows + open_] = static_cast<std::uint64_t>(values)), ...);
    if (++open_ == block_rows) pack();
  }

  std::uint64_t at(std::size_t row, std::size_t column) const noexcept {
    return row < packed_.size() ? packed_.at(row, column)
                                : waiting_[column * block_rows + (row - packed_.size())];
  }
  // For who reads rows in their order once: what is before `row` is not asked for again.
  void forget_before(std::size_t row) {
    for (const std::size_t end = std::min(row, packed_.size()) / block_rows; forgotten_ < end;)
      packed_.forget_block(forgotten_++);
  }

  Rows take() && {
    if (open_ > 0) pack();
    return std::move(packed_);
  }

 private:
  void pack() {
    typename Rows::Block block;
    for (std::size_t c = 0; c < Columns; ++c) {
      const std::uint64_t* values = column(c);
      // Signed: a distance back is a small negative number.
      auto least = std::numeric_limits<std::int64_t>::max();
      auto most = std::numeric_limits<std::int64_t>::min();
      for (std::size_t i = 0; i < open_; ++i) {
        least = std::min(least, static_cast<std::int64_t>(values[i]));
        most = std::max(most, static_cast<std::int64_t>(values[i]));
      }
      const std::uint64_t span =
          static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
      const auto bytes = static_cast<std::size_t>((std::bit_width(span) + 7) / 8);
      block.columns[c] = {static_cast<std::uint64_t>(least),
                          bytes == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * bytes), block.row_bytes};
      block.row_bytes += bytes;
    }
    block.bytes = std::make_unique_for_overwrite<std::byte[]>(open_ * block.row_bytes +
                                                              sizeof(std::uint64_t));
    fill(block);
    packed_.add(std::move(block), open_);
    open_ = 0;
  }

  // Each word is written whole, and what is too much of it covered by the next one.
  void fill(const typename Rows::Block& block) const {
    std::byte* row = block.bytes.get();
    std::memset(row + open_ * block.row_bytes, 0, sizeof(std::uint64_t));
    for (std::size_t i = 0; i < open_; ++i, row += block.row_bytes)
      for (std::size_t c = 0; c < Columns; ++c) {
        const auto& place = block.columns[c];
        if (place.mask == 0) continue;
        const std::uint64_t above = column(c)[i] - place.least;
        std::memcpy(row + place.offset, &above, sizeof(above));
      }
  }

  const std::uint64_t* column(std::size_t c) const { return waiting_.data() + c * block_rows; }

  Rows packed_;
  std::vector<std::uint64_t> waiting_;  // column by column: rows that aren't packed yet
  std::size_t open_ = 0, forgotten_ = 0;
};

}  // namespace reel::document
