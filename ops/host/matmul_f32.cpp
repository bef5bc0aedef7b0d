#include <cstddef>

#include "ops/host/kernels.hpp"
#include "ops/host/lanes.hpp"

namespace reel::ops::host {

void matmul_f32(const HostGroup& group, const float* weights, const float* x, float* y,
                std::uint32_t rows, std::uint32_t columns) {
  // Eight rows at a time: their 32 sums fill half of the vector registers of SSE, and stay there.
  constexpr std::uint32_t together = 8;
  const auto [begin, end] = items_of(group, rows);
  const float* panel = weights + std::size_t{group.id.x} * group_items * columns;
  const float* input = x + std::size_t{group.id.y} * columns;
  float* output = y + std::size_t{group.id.y} * rows;

  for (std::uint32_t row = begin; row < end; row += together) {
    const float* column = panel + std::size_t{row - begin} * 4;
    float sums[together][4] = {};
    for (std::uint32_t c = 0; c < columns; c += 4, column += group_items * 4)
      for (std::uint32_t r = 0; r < together; ++r)
        for (std::uint32_t k = 0; k < 4; ++k) sums[r][k] += column[r * 4 + k] * input[c + k];
    for (std::uint32_t r = 0; r < together && row + r < end; ++r)
      output[row + r] = (sums[r][0] + sums[r][1]) + (sums[r][2] + sums[r][3]);
  }
}

}  // namespace reel::ops::host
