// bits_kernels.cpp - kernels whose results are the same bits on every processor, and one whose
// aren't.
//
// This file is compiled with -ffp-contract=off, and bits_contracted.cpp without: g++ then makes one
// rounding of a product and a sum where the processor can, as arm64's can.
#include <cmath>
#include <cstdint>

#include "systems/bits.hpp"

namespace reel::bits {
namespace {

std::uint32_t mixed(std::uint32_t x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x * 2654435761u;
}

void integers(const HostGroup& group, std::uint32_t* x, std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i < n) x[i] = mixed(x[i] + i);
  });
}

// Signs and shifts of small types, where compilers and processors have rules of their own: plain
// char has no sign on arm64, so that each type says it.
void small_types(const HostGroup& group, const std::uint32_t* x, std::int32_t* y, std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i >= n) return;
    const auto byte = static_cast<signed char>(x[i]);
    const auto half = static_cast<std::int16_t>(x[i] >> 8);
    y[i] = byte * 3 + half / 7 + (half >> 3) - byte % 5;
  });
}

void reals(const HostGroup& group, const std::uint32_t* x, float* y, std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i >= n) return;
    const float a = static_cast<float>(x[i] >> 8) / 16777216.0f, b = a - 0.3333333f;
    y[i] = std::sqrt(a) * b + a / (1.0f + b * b);
  });
}

}  // namespace

void register_exact_kernels() {
  register_host_kernel("integers", host_kernel<&integers>());
  register_host_kernel("small_types", host_kernel<&small_types>());
  register_host_kernel("reals", host_kernel<&reals>());
}

}  // namespace reel::bits
