#include <cstddef>

#include "ops/host/kernels.hpp"
#include "ops/host/lanes.hpp"

namespace reel::ops::host {

void matmul_q8(const HostGroup& group, const std::int8_t* weights, const float* scales,
               const float* x, float* y, std::uint32_t rows, std::uint32_t columns) {
  constexpr std::uint32_t together = 8;  // as in matmul_f32
  const std::uint32_t blocks = columns / 32;
  const auto [begin, end] = items_of(group, rows);
  const std::int8_t* panel = weights + std::size_t{group.id.x} * group_items * columns;
  const float* panel_scales = scales + std::size_t{group.id.x} * group_items * blocks;
  const float* input = x + std::size_t{group.id.y} * columns;
  float* output = y + std::size_t{group.id.y} * rows;

  for (std::uint32_t row = begin; row < end; row += together) {
    const std::int8_t* column = panel + std::size_t{row - begin} * 4;
    const float* scale = panel_scales + (row - begin);
    float sums[together][4] = {};
    for (std::uint32_t b = 0; b < blocks; ++b, scale += group_items) {
      float block[together][4] = {};
      for (std::uint32_t c = b * 32; c < b * 32 + 32; c += 4, column += group_items * 4)
        for (std::uint32_t r = 0; r < together; ++r)
          for (std::uint32_t k = 0; k < 4; ++k)
            block[r][k] += static_cast<float>(column[r * 4 + k]) * input[c + k];
      for (std::uint32_t r = 0; r < together; ++r)
        for (std::uint32_t k = 0; k < 4; ++k) sums[r][k] += block[r][k] * scale[r];
    }
    for (std::uint32_t r = 0; r < together && row + r < end; ++r)
      output[row + r] = (sums[r][0] + sums[r][1]) + (sums[r][2] + sums[r][3]);
  }
}

}  // namespace reel::ops::host
