// bits_contracted.cpp - a product and a sum that g++ may round once or twice. See bits_kernels.cpp.
#include "systems/bits.hpp"

namespace reel::bits {
namespace {

void contracted(const HostGroup& group, const float* x, float* y, std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i < n) y[i] = x[i] * x[i] + y[i] * 0.7f;
  });
}

}  // namespace

void register_contracted_kernel() {
  register_host_kernel("contracted", host_kernel<&contracted>());
}

}  // namespace reel::bits
