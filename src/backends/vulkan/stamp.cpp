#include "backends/vulkan/stamp.hpp"

#include "backends/vulkan/clock.hpp"
#include "backends/vulkan/result.hpp"

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

Stamp::Stamp(std::shared_ptr<StampPool> from, VkQueryPool queries_, std::uint32_t query_)
    : pool(std::move(from)), queries(queries_), query(query_) {}

Stamp::~Stamp() {
  const std::lock_guard lock(pool->mutex_);
  pool->free_.emplace_back(queries, query);
}

std::optional<std::uint64_t> Stamp::time_ns() const {
  const Context& context = pool->context();
  std::uint64_t ticks = 0;
  const VkResult result =
      context.vk.vkGetQueryPoolResults(context.device, queries, query, 1, sizeof(ticks), &ticks,
                                       sizeof(ticks), VK_QUERY_RESULT_64_BIT);
  check(result, "vkGetQueryPoolResults");
  if (result != VK_SUCCESS) return std::nullopt;
  return context.clock->to_ns(ticks);
}

StampPool::~StampPool() {
  for (VkQueryPool pool : pools_) context_->vk.vkDestroyQueryPool(context_->device, pool, nullptr);
}

std::shared_ptr<Stamp> StampPool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    constexpr std::uint32_t count = 64;
    pools_.push_back(make_stamp_queries(*context_, count));
    for (std::uint32_t i = count; i-- > 0;) free_.emplace_back(pools_.back(), i);
  }
  const auto [queries, query] = free_.back();
  free_.pop_back();
  return std::make_shared<Stamp>(shared_from_this(), queries, query);
}

}  // namespace reel::vulkan
