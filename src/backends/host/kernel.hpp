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
  std::atomic<std::uint32_t> runs{0};

  double estimate_ns(Dim3 groups, Dim3 size) const {
    const float known = ns_per_group.load(std::memory_order_relaxed);
    // Before the first run: a nanosecond an item, which is what a simple loop body takes.
    const double each = known >= 0 ? known : static_cast<double>(size.count());
    return each * static_cast<double>(groups.count());
  }
  // A group of it runs on the caller.
  bool is_known_short() const noexcept {
    const float known = ns_per_group.load(std::memory_order_relaxed);
    return known >= 0 && known < inline_below_ns;
  }
  void learn(std::uint64_t groups, std::uint64_t ns);
  // Timing a run costs a microsecond: of every 256 it was 4 of the 30 ns of a small dispatch. What
  // seems long is looked at again sooner, since a wrong estimate of that kind costs more.
  bool wants_timing() const noexcept {
    const std::uint32_t run = runs.load(std::memory_order_relaxed);
    return run < 4 || run % (is_known_short() ? 4096 : 256) == 0;
  }
  void count_run() noexcept {  // losing a count now and then is fine
    runs.store(runs.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

std::shared_ptr<KernelResource> build(const KernelSource& source);

}  // namespace reel::host
