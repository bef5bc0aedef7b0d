#include "backends/host/kernel.hpp"

#include "base/fail.hpp"

namespace reel::host {

void Kernel::learn(std::uint64_t groups, std::uint64_t ns) {
  if (groups == 0) return;
  const float now = static_cast<float>(ns) / static_cast<float>(groups);
  const float before = ns_per_group.load(std::memory_order_relaxed);
  ns_per_group.store(before < 0 ? now : before * 0.75f + now * 0.25f, std::memory_order_relaxed);
}

std::shared_ptr<KernelResource> build(const KernelSource& source) {
  auto kernel = std::make_shared<Kernel>();
  kernel->function = source.host.function;
  kernel->parameters = source.host.parameters;
  kernel->reflected = source.host.reflected;
  return kernel;
}

}  // namespace reel::host
