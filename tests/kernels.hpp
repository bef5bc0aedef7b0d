// kernels.hpp - small kernels for tests, each in OpenCL C, GLSL and C++.
//
// One-dimensional ones run in groups of 64 items. Where a kernel takes n, items from n on do
// nothing.
#pragma once

#include <cstdint>

#include "reel/command.hpp"
#include "reel/dim3.hpp"
#include "reel/kernel.hpp"

namespace reel::test {

inline constexpr std::uint32_t group_items = 64;

// The launch of a one-dimensional kernel over n items.
inline Launch over(std::uint64_t n) {
  return {.groups = {(n + group_items - 1) / group_items}, .group_size = {group_items}};
}

KernelSource add_source();        // in x, in y, out z, uint32 n: float z = x + y
KernelSource scale_source();      // inout x, float factor, uint32 n: float x *= factor
KernelSource increment_source();  // inout x, uint32 n: uint32 x += 1
// in x, out y, uint32 n: uint32 y[i] = 3 x[i] + 1. A link of a chain that can't be reordered.
KernelSource step_source();
// out target, uint32 width, uint32 height: element (z height + y) width + x of the uint32 target
// becomes x + 1000 y + 1000000 z, over a 3-D grid. For groups of this size.
KernelSource index_source(Dim3 group_size);
KernelSource reverse_source();  // in x, out y, shared(256): uint32 y = x reversed in each group
KernelSource sum_source();      // in x, out sums, shared(256): uint32 sums[group] = sum of its x
// inout x, uint32 rounds: each of 64 uint32 x[i], `rounds` times over. At most 65535 rounds:
// llvmpipe 22.3 leaves a shader's loops after that many, without a word.
KernelSource slow_source();
std::uint32_t slow_result(std::uint32_t x, std::uint32_t rounds);
KernelSource count_source();  // inout counter, uint32 amount: every item atomically adds amount

// 32 bytes in all three languages.
struct Mixed {
  alignas(16) float vector[4];
  std::int32_t a;
  std::uint32_t b;
  float c;
  std::int32_t d;
};
static_assert(sizeof(Mixed) == 32);
// out target, uint32 first, Mixed m: float target[first …] = m's eight members; one item.
KernelSource mixed_source();

// As scale, with the group size fixed at {64} by the source where the language can say so.
KernelSource fixed_source();
// As increment over one group, but the sources of OpenCL C and GLSL don't compile: they use
// `undeclared` in line 3 (OpenCL C) and line 5 (GLSL).
KernelSource broken_source();

}  // namespace reel::test
