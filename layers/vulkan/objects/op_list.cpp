#include "layers/vulkan/objects/op_list.hpp"

#include <algorithm>
#include <new>

namespace reel::layer::vk {

namespace {
constexpr std::size_t first_bytes = 1024, most_bytes = std::size_t{1} << 20;
}

void OpList::clear() noexcept {
  used_ = 0;
  at_ = end_ = nullptr;
  is_broken_ = false;
}

bool OpList::grow(std::size_t size) noexcept {
  if (is_closed_) return false;
  try {
    if (used_ > 0)
      chunks_[used_ - 1].filled = static_cast<std::size_t>(at_ - chunks_[used_ - 1].bytes.get());
    // Chunks of the last time are there still; one that is too small is left out.
    while (used_ < chunks_.size() && chunks_[used_].size < size)
      chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(used_));
    if (used_ == chunks_.size()) {
      const std::size_t before = used_ ? chunks_[used_ - 1].size : first_bytes / 2;
      Chunk chunk;
      chunk.size = std::max(size, std::min(2 * before, most_bytes));
      chunk.bytes.reset(new std::byte[chunk.size]);
      chunks_.push_back(std::move(chunk));
    }
    at_ = chunks_[used_].bytes.get();
    end_ = at_ + chunks_[used_].size;
    ++used_;
    return true;
  } catch (const std::bad_alloc&) {
    is_broken_ = true;
    return false;
  }
}

}  // namespace reel::layer::vk
