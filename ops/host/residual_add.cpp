#include "ops/host/kernels.hpp"
#include "ops/host/lanes.hpp"

namespace reel::ops::host {

void residual_add(const HostGroup& group, float* x, const float* y, std::uint32_t size) {
  const auto [begin, end] = items_of(group, size);
  for (std::uint32_t i = begin; i < end; ++i) x[i] += y[i];
}

}  // namespace reel::ops::host
