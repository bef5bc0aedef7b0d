#include <algorithm>
#include <cstddef>

#include "ops/host/exp.hpp"
#include "ops/host/kernels.hpp"
#include "ops/host/lanes.hpp"

namespace reel::ops::host {
namespace {

float dot(const float* a, const float* b, std::uint32_t size) {
  float sums[4] = {};
  for (std::uint32_t i = 0; i < size; i += 4)
    for (std::uint32_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

void attention(const HostGroup& group, const float* query, const float* keys, const float* values,
               float* y, std::uint32_t heads, std::uint32_t heads_per_key, std::uint32_t head_size,
               std::uint32_t slot_floats, std::uint32_t position, float scale) {
  const std::uint32_t head = group.id.x, length = position + group.id.y + 1;
  const std::size_t offset = (std::size_t{group.id.y} * heads + head) * head_size;
  const std::size_t key_offset = std::size_t{head / heads_per_key} * head_size;

  float weights[group_items], result[256] = {};  // 256: the largest head_size
  float maximum = -3.0e38f, sum = 0.0f;
  for (std::uint32_t first = 0; first < length; first += group_items) {
    const std::uint32_t count = std::min(group_items, length - first);
    const float before = maximum;
    for (std::uint32_t i = 0; i < count; ++i) {
      const float* key = keys + std::size_t{first + i} * slot_floats + key_offset;
      weights[i] = dot(query + offset, key, head_size) * scale;
      maximum = weights[i] > maximum ? weights[i] : maximum;
    }
    for (std::uint32_t i = 0; i < count; ++i) weights[i] = portable_exp(weights[i] - maximum);

    const float correction = first == 0 ? 0.0f : portable_exp(before - maximum);
    sum *= correction;
    for (std::uint32_t i = 0; i < count; ++i) sum += weights[i];
    for (std::uint32_t d = 0; d < head_size; ++d) result[d] *= correction;
    for (std::uint32_t i = 0; i < count; ++i) {
      const float* value = values + std::size_t{first + i} * slot_floats + key_offset;
      for (std::uint32_t d = 0; d < head_size; ++d) result[d] += weights[i] * value[d];
    }
  }
  const float inverse = 1.0f / sum;
  for (std::uint32_t d = 0; d < head_size; ++d) y[offset + d] = result[d] * inverse;
}

}  // namespace reel::ops::host
