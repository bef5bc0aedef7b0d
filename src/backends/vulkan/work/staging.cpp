#include "backends/vulkan/work/staging.hpp"

#include <algorithm>

namespace reel::vulkan {
namespace {

constexpr std::uint64_t usual_bytes = 256u << 10;

}  // namespace

StagingRange StagingArena::take(std::uint64_t size_bytes) {
  const std::uint64_t size = (size_bytes + 15) / 16 * 16;
  if (buffers_.empty() || buffers_.back().size_bytes - used_ < size) {
    buffers_.emplace_back(*context_, std::max(size, usual_bytes));
    used_ = 0;
  }
  StagingBuffer& buffer = buffers_.back();
  const std::uint64_t offset = used_;
  used_ += size;
  return {buffer.handle, offset, buffer.memory.mapped + offset};
}

void StagingArena::reset() {
  // What is kept is what most batches need; a large transfer gives its memory back.
  const auto usual = std::find_if(buffers_.begin(), buffers_.end(), [](const StagingBuffer& b) {
    return b.size_bytes == usual_bytes;
  });
  if (usual != buffers_.end()) {
    if (usual != buffers_.begin()) std::swap(*usual, buffers_.front());
    buffers_.resize(1);
  } else {
    buffers_.clear();
  }
  used_ = 0;
}

std::uint64_t StagingArena::held_bytes() const noexcept {
  std::uint64_t total = 0;
  for (const StagingBuffer& buffer : buffers_) total += buffer.size_bytes;
  return total;
}

}  // namespace reel::vulkan
