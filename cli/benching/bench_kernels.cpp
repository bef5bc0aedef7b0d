#include "cli/benching/bench_kernels.hpp"

#include <array>

#include "cli/embedded_texts.hpp"

namespace reel::cli {
namespace {

void empty(const HostGroup& group, float* y) {
  if (group.id.x == 0) y[0] = 1.0F;
}

constexpr std::size_t lanes = 32;  // eight chains of four numbers

float fma_sum(std::uint32_t item, std::uint32_t rounds) {
  std::array<float, lanes> chain{};
  for (std::size_t lane = 0; lane < lanes; ++lane)
    chain[lane] = static_cast<float>((item & 7U) + lane / 4);
  for (std::uint32_t i = 0; i < rounds; ++i)
    for (float& value : chain) value = value * 0.5F + 1.0F;
  std::array<float, 4> sum{};
  for (std::size_t part = 0; part < 4; ++part) {
    const auto at = [&](std::size_t number) { return chain[4 * number + part]; };
    sum[part] = ((at(0) + at(1)) + (at(2) + at(3))) + ((at(4) + at(5)) + (at(6) + at(7)));
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void fma(const HostGroup& group, float* y, std::uint32_t rounds) {
  group.for_each([&](const HostItem& item) { y[item.global.x] = fma_sum(item.global.x, rounds); });
}

void triad(const HostGroup& group, const float* x, const float* y, float* z) {
  const std::size_t begin = std::size_t{4} * group.id.x * group.size.x;
  for (std::size_t i = begin; i < begin + std::size_t{4} * group.size.x; ++i)
    z[i] = x[i] * 2.0F + y[i];
}

void matmul(const HostGroup& group, const float* x, const float* y, float* z, std::uint32_t n) {
  std::array<float, bench_group> sum{};
  const std::size_t row = group.id.y, column = std::size_t{group.id.x} * bench_group;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < bench_group; ++i) sum[i] += x[row * n + k] * y[k * n + column + i];
  for (std::size_t i = 0; i < bench_group; ++i) z[row * n + column + i] = sum[i];
}

KernelSource source(const char* name, std::string_view glsl, HostKernel host) {
  return {.name = name,
          .opencl_c = std::string(embedded::bench_cl()),
          .glsl = std::string(glsl),
          .host = std::move(host),
          .group_size = {bench_group}};
}

}  // namespace

KernelSource bench_empty() {
  return source("bench_empty", embedded::empty_comp(), host_kernel<&empty>());
}
KernelSource bench_fma() { return source("bench_fma", embedded::fma_comp(), host_kernel<&fma>()); }
KernelSource bench_triad() {
  return source("bench_triad", embedded::triad_comp(), host_kernel<&triad>());
}
KernelSource bench_matmul() {
  return source("bench_matmul", embedded::matmul_comp(), host_kernel<&matmul>());
}

float fma_result(std::uint32_t item, std::uint32_t rounds) { return fma_sum(item, rounds); }

}  // namespace reel::cli
