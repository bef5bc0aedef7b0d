#include "ops/host/exp.hpp"
#include "ops/host/kernels.hpp"
#include "ops/host/lanes.hpp"

namespace reel::ops::host {

void swiglu(const HostGroup& group, const float* gate, const float* up, float* y,
            std::uint32_t size) {
  const auto [begin, end] = items_of(group, size);
  for (std::uint32_t i = begin; i < end; ++i) {
    const float sigmoid = 1.0f / (1.0f + portable_exp(-gate[i]));
    y[i] = gate[i] * sigmoid * up[i];
  }
}

}  // namespace reel::ops::host
