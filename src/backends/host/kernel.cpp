#include "backends/host/kernel.hpp"

#include <algorithm>

namespace reel::host {

void Kernel::learn(std::uint64_t groups, std::uint64_t ns) {
  if (groups == 0) return;
  const float now = static_cast<float>(ns) / static_cast<float>(groups);
  const float before = ns_per_group.load(std::memory_order_relaxed);
  // Down at once, up at most twofold: a first run on cold memory, or one interrupted, takes a
  // thousand times as long, and an estimate that believed it would send every small launch to
  // the queue (750 ns each in place of 55).
  ns_per_group.store(before < 0 ? now : std::min(now, before * 2), std::memory_order_relaxed);
}

std::shared_ptr<KernelResource> build(const KernelSource& source) {
  auto kernel = std::make_shared<Kernel>();
  kernel->function = source.host.function;
  kernel->parameters = source.host.parameters;
  kernel->reflected = source.host.reflected;
  return kernel;
}

}  // namespace reel::host
