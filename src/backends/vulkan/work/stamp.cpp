#include "backends/vulkan/work/stamp.hpp"

#include <cstring>

#include "backends/vulkan/device/clock.hpp"
#include "backends/vulkan/device/loader.hpp"
#include "backends/vulkan/device/result.hpp"

namespace reel::vulkan {

VkQueryPool make_stamp_queries(const Context& context, std::uint32_t count) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = count;
  VkQueryPool pool = VK_NULL_HANDLE;
  check(context.vk.vkCreateQueryPool(context.device, &info, nullptr, &pool), "vkCreateQueryPool");
  return pool;
}

Stamp::Stamp(std::shared_ptr<StampPool> from, const StampPlace& where)
    : pool(std::move(from)), place(where) {}

Stamp::~Stamp() {
  if (is_inherited()) return;
  const std::lock_guard lock(pool->mutex_);
  pool->free_.push_back(place);
}

std::uint64_t Stamp::time_ns() const {
  std::uint64_t ticks = 0;
  std::memcpy(&ticks, place.ticks, sizeof(ticks));
  return pool->context().clock->to_ns(ticks);
}

StampBlock::StampBlock(Context& context, std::uint32_t count)
    : queries(make_stamp_queries(context, count)), times(context, count * sizeof(std::uint64_t)) {}

StampBlock::~StampBlock() {
  const Context& context = *times.context;
  context.vk.vkDestroyQueryPool(context.device, queries, nullptr);
}

std::uint64_t StampBlock::time_ns(std::uint32_t query) const noexcept {
  std::uint64_t ticks = 0;
  std::memcpy(&ticks, times.memory.mapped + query * sizeof(ticks), sizeof(ticks));
  return times.context->clock->to_ns(ticks);
}

StampPool::~StampPool() {
  for (VkQueryPool pool : pools_) context_->vk.vkDestroyQueryPool(context_->device, pool, nullptr);
}

std::shared_ptr<Stamp> StampPool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    constexpr std::uint32_t count = 64;
    pools_.push_back(make_stamp_queries(*context_, count));
    const StagingBuffer& times = times_.emplace_back(*context_, count * sizeof(std::uint64_t));
    for (std::uint32_t i = count; i-- > 0;) {
      const std::uint64_t offset = i * sizeof(std::uint64_t);
      free_.push_back({pools_.back(), i, times.handle, offset, times.memory.mapped + offset});
    }
  }
  const StampPlace place = free_.back();
  free_.pop_back();
  return std::make_shared<Stamp>(shared_from_this(), place);
}

}  // namespace reel::vulkan
