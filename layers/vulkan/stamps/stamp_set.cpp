#include "layers/vulkan/stamps/stamp_set.hpp"

#include <algorithm>

#include "layers/vulkan/objects/queue.hpp"
#include "layers/vulkan/stamps/ticks.hpp"

namespace reel::layer::vk {

namespace {

// A program that knows its work to be done knows so a moment before we do. What was given in the
// same call may still wait for the host: then the times are lost.
constexpr std::uint64_t patience_ns = 10'000'000;

}  // namespace

StampSet::~StampSet() {
  if (last_) last_->release();
  for (const QueryPool& pool : pools_) give_back(*device_, pool);
}

std::optional<std::uint32_t> StampSet::write(VkCommandBuffer commands,
                                             VkPipelineStageFlagBits stage) noexcept {
  if (free_ == 0) {
    constexpr std::uint32_t first_size = 64, most_size = 4096;
    const std::uint32_t wanted =
        pools_.empty() ? first_size : std::min(4 * pools_.back().size, most_size);
    const QueryPool pool = take_queries(*device_, wanted);
    if (!pool.handle) return std::nullopt;
    try {
      pools_.push_back(pool);
    } catch (...) {
      give_back(*device_, pool);
      return std::nullopt;
    }
    free_ = pool.size;
    device_->next.CmdResetQueryPool(commands, pool.handle, 0, pool.size);
  }
  const QueryPool& pool = pools_.back();
  device_->next.CmdWriteTimestamp(commands, stage, pool.handle, pool.size - free_);
  --free_;
  return count_++;
}

std::uint64_t StampSet::take(Done* done) noexcept {
  // Unless it says otherwise, a buffer is submitted again only when it is done: what it left is
  // read before it is overwritten.
  if (last_) {
    last_->wait(patience_ns);
    last_->release();
  }
  done->retain();
  last_ = done;
  return ++submission_;
}

std::vector<std::optional<std::uint64_t>> StampSet::read(std::uint64_t submission) const {
  std::vector<std::optional<std::uint64_t>> ticks;
  if (submission_ != submission) return ticks;
  ticks.reserve(count_);
  for (const QueryPool& pool : pools_) {
    const std::uint32_t used =
        std::min(pool.size, count_ - static_cast<std::uint32_t>(ticks.size()));
    read_queries(*device_, pool.handle, used, ticks);
  }
  if (submission_ != submission) ticks.clear();
  return ticks;
}

}  // namespace reel::layer::vk
