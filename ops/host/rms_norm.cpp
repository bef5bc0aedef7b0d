#include <cmath>
#include <cstddef>

#include "ops/host/kernels.hpp"
#include "ops/host/lanes.hpp"

namespace reel::ops::host {

void rms_norm(const HostGroup& group, const float* x, const float* weight, float* y,
              std::uint32_t size, float epsilon) {
  const float* input = x + std::size_t{group.id.x} * size;
  float* output = y + std::size_t{group.id.x} * size;

  float partial[group_items] = {};
  std::uint32_t i = 0;
  for (; i + group_items <= size; i += group_items)
    for (std::uint32_t lane = 0; lane < group_items; ++lane)
      partial[lane] += input[i + lane] * input[i + lane];
  for (std::uint32_t lane = 0; i + lane < size; ++lane)
    partial[lane] += input[i + lane] * input[i + lane];

  float total = 0.0f;
  for (std::uint32_t part = 0; part < 8; ++part) {
    float eight = 0.0f;
    for (std::uint32_t k = 0; k < 8; ++k) eight += partial[part * 8 + k];
    total += eight;
  }
  const float mean = total * (1.0f / static_cast<float>(size));
  const float scale = 1.0f / std::sqrt(mean + epsilon);
  for (std::uint32_t k = 0; k < size; ++k) output[k] = input[k] * scale * weight[k];
}

}  // namespace reel::ops::host
