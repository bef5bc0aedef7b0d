// matrix.hpp - weights, packed for the matmul kernels.
//
// Rows come in panels of 64, the items of a group; a panel holds, for every four columns, those
// four of each of its 64 rows. A group so reads its panel from front to back, 16 bytes an item:
// coalesced on a GPU, streaming on a CPU. The last panel is filled up with zeros.
//   f32: values[panel][column / 4][row % 64][column % 4], floats
//   q8:  the same in signed bytes, times scales[panel][column / 32][row % 64]
// A Matrix shares its buffers when copied; any thread may use it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reel/device.hpp"

namespace reel::ops {

enum class Format : std::uint8_t {
  f32,
  q8,  // 8 bits, and a float scale for each 32 columns of a row
};
const char* to_string(Format format) noexcept;  // "f32", "q8"

struct Matrix {
  Buffer values, scales;  // scales: of q8 only
  std::uint32_t rows = 0, columns = 0;
  Format format = Format::f32;

  std::uint64_t size_bytes() const;
};

// From row-major floats. Columns must be a multiple of 4 (f32) or 32 (q8).
Matrix make_matrix(const Device& device, std::span<const float> row_major, std::uint32_t rows,
                   std::uint32_t columns, Format format, std::string_view label);

// What it holds, row-major again; for q8 after rounding to 8 bits. Waits for the device.
std::vector<float> unpack(const Matrix& matrix);

}  // namespace reel::ops
