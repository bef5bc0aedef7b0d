// pass_memory.hpp - memory for what the commands of a pass borrow: taken piece by piece, given back
// all at once, and kept for the next pass.
//
// Pieces stay where they are. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace reel {

class PassMemory {
 public:
  template <class T>
  std::span<T> copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignment);
    if (values.empty()) return {};
    void* const place = take(values.size_bytes());
    std::memcpy(place, values.data(), values.size_bytes());
    return {static_cast<T*>(place), values.size()};
  }
  std::string_view copy(std::string_view text) {
    const std::span<char> kept = copy(std::span<const char>(text.data(), text.size()));
    return {kept.data(), kept.size()};
  }

  void clear() noexcept {
    large_.clear();
    block_ = used_ = 0;
  }

 private:
  static constexpr std::size_t alignment = alignof(std::max_align_t);
  static constexpr std::size_t block_bytes = 64 * 1024;  // some 800 arguments

  using Block = std::unique_ptr<std::byte[]>;

  void* take(std::size_t bytes) {
    if (bytes > block_bytes / 4) {  // the bytes of a write: not to be kept
      large_.emplace_back(new std::byte[bytes]);
      return large_.back().get();
    }
    bytes = (bytes + alignment - 1) & ~(alignment - 1);
    if (block_ < blocks_.size() && used_ + bytes > block_bytes) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) blocks_.emplace_back(new std::byte[block_bytes]);
    std::byte* const place = blocks_[block_].get() + used_;
    used_ += bytes;
    return place;
  }

  std::vector<Block> blocks_, large_;
  std::size_t block_ = 0, used_ = 0;  // the block that is taken from, and how much of it was
};

}  // namespace reel
