// kernel.hpp - a C++ function, and what a group of it has cost so far.
#pragma once

#include <atomic>
#include <cstdint>

#include "graph/commands/resource.hpp"
#include "reel/host_kernel.hpp"

namespace reel::host {

// Work below this runs on the caller: handing it over costs 600 to 1900 ns and the caller would
// mostly wait for it.
inline constexpr double inline_below_ns = 20'000;

struct Kernel : KernelResource {
  HostFunction function = nullptr;

  // As measured, see learn(); what decides between running at once and handing over. Races only
  // make it a little less exact.
  std::atomic<float> ns_per_group{-1};
  std::atomic<std::uint32_t> times{0};  // it was timed
  // Runs until the next that is timed, which is the case at 0; below 0 where a group of it is too
  // long for the caller. Losing a count now and then is fine.
  std::atomic<std::int32_t> untimed_runs{0};

  double estimate_ns(Dim3 groups, Dim3 size) const {
    const float known = ns_per_group.load(std::memory_order_relaxed);
    // Before the first run: a nanosecond an item, which is what a simple loop body takes.
    const double each = known >= 0 ? known : static_cast<double>(size.count());
    return each * static_cast<double>(groups.count());
  }
  void learn(std::uint64_t groups, std::uint64_t ns);
  bool wants_timing() const noexcept { return untimed_runs.load(std::memory_order_relaxed) == 0; }
  void count_run() noexcept {
    const std::int32_t left = untimed_runs.load(std::memory_order_relaxed);
    untimed_runs.store(left - (left > 0) + (left < 0), std::memory_order_relaxed);
  }
  // The next run of one group may be one on the caller, without time.
  bool is_quick() const noexcept { return untimed_runs.load(std::memory_order_relaxed) > 0; }
  void count_quick_run() noexcept {
    untimed_runs.store(untimed_runs.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
};

std::shared_ptr<KernelResource> build(const KernelSource& source);

}  // namespace reel::host
