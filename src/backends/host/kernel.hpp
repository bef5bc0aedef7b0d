// kernel.hpp - a C++ function, and what a group of it has cost so far.
#pragma once

#include <atomic>
#include <cstdint>

#include "graph/commands/resource.hpp"
#include "reel/host_kernel.hpp"

namespace reel::host {

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
  void learn(std::uint64_t groups, std::uint64_t ns);
  // Timing every run would cost more than a small kernel does.
  bool wants_timing() {
    const std::uint32_t run = runs.load(std::memory_order_relaxed);
    runs.store(run + 1, std::memory_order_relaxed);  // losing a count now and then is fine
    return run < 4 || run % 256 == 0;
  }
};

std::shared_ptr<KernelResource> build(const KernelSource& source);

}  // namespace reel::host
