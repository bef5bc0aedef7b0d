// work_costs.hpp - how long commands of a device take, by what earlier ones took.
//
// A timestamp takes time, too: on some devices as much as a small dispatch. So one is written at a
// barrier where enough lies before it, which has to be guessed while a program records. A wrong
// guess makes a document coarser or its capture slower, and nothing in it false.
// Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "layers/vulkan/functions.hpp"

namespace reel::layer::vk {

// What commands of one kind take.
class WorkCost {
 public:
  // Of one command of this size, which is a number of work groups. While nothing is known it is
  // `enough`, so that the first ones are timed each, then 16 and at last 64 at once: a program that
  // records everything before it submits anything must not pay for each.
  float guess_ns(float size, float enough_ns) noexcept {
    const float each = ns_each_.load(std::memory_order_relaxed);
    if (each > 0) return each * size;
    const std::uint32_t before = untimed_.fetch_add(1, std::memory_order_relaxed);
    return before < 256 ? enough_ns : before < 4096 ? enough_ns / 16 : enough_ns / 64;
  }
  // 0: nothing is known.
  float known_ns(float size) const noexcept {
    return ns_each_.load(std::memory_order_relaxed) * size;
  }
  void learn(float size, float ns) noexcept;

 private:
  std::atomic<float> ns_each_{0};  // of one group; 0: not known
  std::atomic<std::uint32_t> untimed_{0};
};

class WorkCosts {
 public:
  static constexpr float unknown_ns = std::numeric_limits<float>::infinity();

  // Lives as long as this; null handle, or one too many of them: what all others share.
  WorkCost& of(VkPipeline pipeline) noexcept;
  WorkCost& others() noexcept { return others_; }

  // The first batches look what a timestamp takes; the least counts, as what interrupts them only
  // adds to it.
  bool knows_stamps() const noexcept {
    return stamps_learned_.load(std::memory_order_relaxed) >= enough_learned;
  }
  void learn_stamp(float ns) noexcept;
  // Work that is worth a timestamp.
  float enough_ns() const noexcept {
    const float stamp_ns = stamp_ns_.load(std::memory_order_relaxed);
    return stamp_ns < 0 ? guessed_enough_ns : stamp_ns * times_a_stamp;
  }

 private:
  static constexpr float times_a_stamp = 16;  // so timestamps take some 6 percent
  static constexpr float guessed_enough_ns = 100'000;
  static constexpr std::size_t most_pipelines = 16'384;
  static constexpr std::uint32_t enough_learned = 4;

  std::atomic<float> stamp_ns_{-1};  // below zero: not known
  std::atomic<std::uint32_t> stamps_learned_{0};
  WorkCost others_;
  std::mutex mutex_;  // of what follows
  std::unordered_map<VkPipeline, WorkCost> pipelines_;
};

}  // namespace reel::layer::vk
