// packed_rows.hpp - rows of whole numbers, in as few bytes as they need.
//
// A document has millions of commands, and most of their numbers hardly differ from row to row. So
// rows are kept in blocks; each block knows the smallest value of each column, and a row has only
// what is above it, in as many bytes as the largest in the block takes. A row is contiguous, and
// any one is found without looking at others. Immutable once shared: any thread.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace reel {

static_assert(std::endian::native == std::endian::little, "numbers are cut from words");

template <std::size_t Columns>
class PackedRows {
 public:
  static constexpr std::size_t block_rows = 1024;
  struct Column {
    std::uint64_t least = 0, mask = 0;  // of the word at `offset` of a row
    std::size_t offset = 0;
  };
  struct Block {
    std::unique_ptr<std::byte[]> bytes;  // with room to read a word at the end of the last row
    std::size_t row_bytes = 0;
    std::array<Column, Columns> columns;
  };

  std::size_t size() const noexcept { return size_; }
  // All values are modulo 2^64.
  [[gnu::always_inline]] std::uint64_t at(std::size_t row, std::size_t column) const noexcept {
    const Block& block = blocks_[row / block_rows];
    const Column& packed = block.columns[column];
    std::uint64_t word = 0;
    std::memcpy(&word, block.bytes.get() + (row % block_rows) * block.row_bytes + packed.offset,
                sizeof(word));
    return packed.least + (word & packed.mask);
  }

  // All blocks but the last one are full.
  void add(Block block, std::size_t rows) {
    blocks_.push_back(std::move(block));
    size_ += rows;
  }
  // Gives the memory of a block back; its rows may not be asked for again.
  void forget_block(std::size_t block) { blocks_[block].bytes.reset(); }

 private:
  std::vector<Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace reel
