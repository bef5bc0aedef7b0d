#include "backends/host/kernel.hpp"

#include <algorithm>

namespace reel::host {

namespace {

// Timing a run costs a microsecond: of every 256 it was 4 of the 30 ns of a small dispatch. What
// seems long is looked at again sooner, since a wrong estimate of that kind costs more.
constexpr std::uint32_t first_times = 4;
constexpr std::int32_t untimed_if_short = 4095, untimed_if_long = 255;

}  // namespace

void Kernel::learn(std::uint64_t groups, std::uint64_t ns) {
  if (groups == 0) return;
  const float now = static_cast<float>(ns) / static_cast<float>(groups);
  const float before = ns_per_group.load(std::memory_order_relaxed);
  // Down at once, up at most twofold: a first run on cold memory, or one interrupted, takes a
  // thousand times as long, and an estimate that believed it would send every small launch to
  // the queue (750 ns each in place of 55).
  const float known = before < 0 ? now : std::min(now, before * 2);
  ns_per_group.store(known, std::memory_order_relaxed);
  if (times.fetch_add(1, std::memory_order_relaxed) + 1 < first_times) return;
  untimed_runs.store(known < inline_below_ns ? untimed_if_short : -untimed_if_long,
                     std::memory_order_relaxed);
}

std::shared_ptr<KernelResource> build(const KernelSource& source) {
  auto kernel = std::make_shared<Kernel>();
  kernel->function = source.host.function;
  kernel->parameters = source.host.parameters;
  kernel->reflected = source.host.reflected;
  return kernel;
}

}  // namespace reel::host
