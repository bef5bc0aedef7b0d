// bench_kernels.hpp - the kernels of `reel bench`, in every form that a device takes.
#pragma once

#include "reel/kernel.hpp"

namespace reel::cli {

inline constexpr std::uint32_t bench_group = 64;     // items of a group
inline constexpr std::uint32_t fma_operations = 64;  // of bench_fma, a round and item

KernelSource bench_empty();   // (y)
KernelSource bench_fma();     // (y, rounds)
KernelSource bench_triad();   // (x, y, z): z = 2 x + y, four floats an item
KernelSource bench_matmul();  // (x, y, z, n): z = x y, an item an element, groups along a row

float fma_result(std::uint32_t item, std::uint32_t rounds);

}  // namespace reel::cli
