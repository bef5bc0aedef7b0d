#include "reel/memory_pool.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "runtime/device_state.hpp"

namespace reel {

class MemoryPoolState : public std::enable_shared_from_this<MemoryPoolState> {
 public:
  MemoryPoolState(const Device& device, MemoryPoolOptions options)
      : device_(device), options_(std::move(options)) {
    // Of a binding, and of a cache line or two, so that neighbours don't share one.
    alignment_ = std::max<std::uint64_t>(device.info().binding_alignment_bytes, 256);
  }

  Temporary take(std::uint64_t size_bytes) {
    if (size_bytes == 0)
      fail(Code::invalid_argument, "Pool '{}' can't give 0 bytes; the least is 1.", options_.label);
    const std::lock_guard lock(mutex_);
    const std::uint64_t rounded = round_up(size_bytes);
    for (Block& block : blocks_)
      for (auto free = block.free.begin(); free != block.free.end(); ++free)
        if (free->second >= rounded) return take(block, free, size_bytes, rounded);
    blocks_.push_back(
        {device_.buffer(std::max(rounded, options_.block_bytes), options_.label), {}});
    Block& block = blocks_.back();
    return take(block, block.free.emplace(0, block.buffer.size_bytes()).first, size_bytes, rounded);
  }

  void give_back(const BufferRange& range) noexcept {
    const std::lock_guard lock(mutex_);
    const std::uint64_t rounded = round_up(range.size_bytes);
    used_bytes_ -= range.size_bytes;
    for (Block& block : blocks_) {
      if (resource_of(block.buffer).get() != range.buffer) continue;
      auto free = block.free.emplace(range.offset_bytes, rounded).first;
      // With its neighbours, where they are free.
      if (const auto next = std::next(free);
          next != block.free.end() && free->first + free->second == next->first) {
        free->second += next->second;
        block.free.erase(next);
      }
      if (free == block.free.begin()) return;
      if (const auto before = std::prev(free); before->first + before->second == free->first) {
        before->second += free->second;
        block.free.erase(free);
      }
      return;
    }
  }

  void trim() {
    const std::lock_guard lock(mutex_);
    std::erase_if(blocks_, [](const Block& block) {
      return block.free.size() == 1 && block.free.begin()->second == block.buffer.size_bytes();
    });
  }

  std::uint64_t used_bytes() const {
    const std::lock_guard lock(mutex_);
    return used_bytes_;
  }
  std::uint64_t held_bytes() const {
    const std::lock_guard lock(mutex_);
    std::uint64_t total = 0;
    for (const Block& block : blocks_) total += block.buffer.size_bytes();
    return total;
  }

 private:
  struct Block {
    Buffer buffer;
    std::map<std::uint64_t, std::uint64_t> free;  // size by offset; no two touch
  };

  std::uint64_t round_up(std::uint64_t bytes) const noexcept {
    const std::uint64_t above = bytes + (alignment_ - 1);
    return above < bytes ? bytes : above / alignment_ * alignment_;
  }

  Temporary take(Block& block, std::map<std::uint64_t, std::uint64_t>::iterator free,
                 std::uint64_t size_bytes, std::uint64_t rounded) {
    const auto [offset, room] = *free;
    block.free.erase(free);
    if (room > rounded) block.free.emplace(offset + rounded, room - rounded);
    used_bytes_ += size_bytes;
    Temporary result;
    result.pool_ = shared_from_this();
    result.range_ = block.buffer.range(offset, size_bytes);
    return result;
  }

  mutable std::mutex mutex_;
  const Device device_;
  const MemoryPoolOptions options_;
  std::uint64_t alignment_ = 256, used_bytes_ = 0;
  std::vector<Block> blocks_;
};

Temporary& Temporary::operator=(Temporary&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  pool_ = std::move(other.pool_);
  range_ = std::exchange(other.range_, {});
  return *this;
}

void Temporary::give_back() noexcept {
  if (pool_) pool_->give_back(range_);
  pool_.reset();
}

MemoryPool::MemoryPool(const Device& device, const MemoryPoolOptions& options) {
  state_of(device, "MemoryPool()");
  state_ = std::make_shared<MemoryPoolState>(device, options);
}

Temporary MemoryPool::take(std::uint64_t size_bytes) const { return state_->take(size_bytes); }
std::uint64_t MemoryPool::used_bytes() const { return state_->used_bytes(); }
std::uint64_t MemoryPool::held_bytes() const { return state_->held_bytes(); }
void MemoryPool::trim() const { state_->trim(); }

}  // namespace reel
