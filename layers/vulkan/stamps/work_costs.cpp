#include "layers/vulkan/stamps/work_costs.hpp"

#include <algorithm>

#include "layers/session/quietly.hpp"

namespace reel::layer::vk {

void WorkCost::learn(float size, float ns) noexcept {
  constexpr float least_ns = 0.001F;
  const float now = std::max(ns / std::max(size, 1.0F), least_ns);
  const float before = ns_each_.load(std::memory_order_relaxed);
  // Near the median: a first run in which the driver compiles, or one that was interrupted, tells
  // little.
  const float next = now < before ? std::max(now, before / 2) : std::min(now, before * 1.25F);
  ns_each_.store(before > 0 ? next : now, std::memory_order_relaxed);
}

void WorkCosts::learn_stamp(float ns) noexcept {
  float before = stamp_ns_.load(std::memory_order_relaxed);
  while ((before < 0 || ns < before) &&
         !stamp_ns_.compare_exchange_weak(before, ns, std::memory_order_relaxed)) {
  }
  stamps_learned_.fetch_add(1, std::memory_order_relaxed);
}

WorkCost& WorkCosts::of(VkPipeline pipeline) noexcept {
  if (!pipeline) return others_;
  WorkCost* found = &others_;
  const std::lock_guard lock(mutex_);
  quietly([&] {
    const auto known = pipelines_.find(pipeline);
    if (known != pipelines_.end())
      found = &known->second;
    else if (pipelines_.size() < most_pipelines)
      found = &pipelines_[pipeline];
  });
  return *found;
}

}  // namespace reel::layer::vk
