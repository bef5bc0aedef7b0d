#include <cstddef>

#include "ops/host/kernels.hpp"
#include "ops/host/lanes.hpp"

namespace reel::ops::host {

void rope(const HostGroup& group, float* x, const float* table, std::uint32_t pairs,
          std::uint32_t head_pairs, std::uint32_t position) {
  const auto [begin, end] = items_of(group, pairs);
  const float* turns = table + (std::size_t{position} + group.id.y) * head_pairs * 2;
  float* row = x + std::size_t{group.id.y} * pairs * 2;
  for (std::uint32_t pair = begin; pair < end; ++pair) {
    const float cosine = turns[pair % head_pairs * 2], sine = turns[pair % head_pairs * 2 + 1];
    const float a = row[pair * 2], b = row[pair * 2 + 1];
    row[pair * 2] = a * cosine - b * sine;
    row[pair * 2 + 1] = a * sine + b * cosine;
  }
}

}  // namespace reel::ops::host
