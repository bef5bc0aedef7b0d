#include "ops/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace reel::ops {
namespace {

constexpr std::uint32_t panel_rows = 64, block_columns = 32;

std::size_t panels(std::uint32_t rows) { return (rows + panel_rows - 1) / panel_rows; }

// Where a weight lives among the packed values.
std::size_t value_index(std::uint32_t row, std::uint32_t column, std::uint32_t columns) {
  const std::size_t panel = row / panel_rows, lane = row % panel_rows;
  return ((panel * (columns / 4) + column / 4) * panel_rows + lane) * 4 + column % 4;
}

std::size_t scale_index(std::uint32_t row, std::uint32_t block, std::uint32_t columns) {
  const std::size_t panel = row / panel_rows, lane = row % panel_rows;
  return (panel * (columns / block_columns) + block) * panel_rows + lane;
}

void check_shape(std::size_t given, std::uint32_t rows, std::uint32_t columns, Format format,
                 std::string_view label) {
  const std::uint32_t multiple = format == Format::q8 ? block_columns : 4;
  if (rows == 0 || columns == 0 || columns % multiple != 0)
    throw Error(Code::invalid_argument,
                fmt::format("Matrix '{}' is {} x {}; {} wants at least one row, and columns in "
                            "multiples of {}.",
                            label, rows, columns, to_string(format), multiple));
  if (given != std::size_t{rows} * columns)
    throw Error(Code::invalid_argument,
                fmt::format("Matrix '{}' is {} x {}, which takes {} floats, and {} are given.",
                            label, rows, columns, std::size_t{rows} * columns, given));
  // Kernels count elements in 32 bits.
  if (panels(rows) * panel_rows * columns > UINT32_MAX)
    throw Error(Code::unsupported, fmt::format("Matrix '{}' is {} x {}; more than 2^32 elements "
                                               "are not supported.",
                                               label, rows, columns));
}

Matrix make_f32(const Device& device, std::span<const float> row_major, Matrix matrix,
                std::string_view label) {
  std::vector<float> values(panels(matrix.rows) * panel_rows * matrix.columns);
  for (std::uint32_t row = 0; row < matrix.rows; ++row)
    for (std::uint32_t column = 0; column < matrix.columns; ++column)
      values[value_index(row, column, matrix.columns)] =
          row_major[std::size_t{row} * matrix.columns + column];
  matrix.values = device.buffer_of(values, label);
  return matrix;
}

Matrix make_q8(const Device& device, std::span<const float> row_major, Matrix matrix,
               std::string_view label) {
  std::vector<std::int8_t> values(panels(matrix.rows) * panel_rows * matrix.columns);
  std::vector<float> scales(values.size() / block_columns);
  for (std::uint32_t row = 0; row < matrix.rows; ++row)
    for (std::uint32_t block = 0; block < matrix.columns / block_columns; ++block) {
      const std::uint32_t first = block * block_columns;
      const auto source =
          row_major.subspan(std::size_t{row} * matrix.columns + first, block_columns);
      float largest = 0;
      for (const float value : source) largest = std::max(largest, std::abs(value));
      const float scale = largest / 127.0f;
      scales[scale_index(row, block, matrix.columns)] = scale;
      for (std::uint32_t i = 0; i < block_columns; ++i)
        values[value_index(row, first + i, matrix.columns)] =
            scale > 0 ? static_cast<std::int8_t>(std::lround(source[i] / scale)) : std::int8_t{0};
    }
  matrix.values = device.buffer_of(values, label);
  matrix.scales = device.buffer_of(scales, std::string(label) + "/scales");
  return matrix;
}

}  // namespace

const char* to_string(Format format) noexcept { return format == Format::q8 ? "q8" : "f32"; }

std::uint64_t Matrix::size_bytes() const {
  return values.size_bytes() + (scales ? scales.size_bytes() : 0);
}

Matrix make_matrix(const Device& device, std::span<const float> row_major, std::uint32_t rows,
                   std::uint32_t columns, Format format, std::string_view label) {
  check_shape(row_major.size(), rows, columns, format, label);
  const Matrix shape{{}, {}, rows, columns, format};
  return format == Format::q8 ? make_q8(device, row_major, shape, label)
                              : make_f32(device, row_major, shape, label);
}

std::vector<float> unpack(const Matrix& matrix) {
  const bool q8 = matrix.format == Format::q8;
  const auto floats = q8 ? std::vector<float>{} : matrix.values.read<float>();
  const auto bytes = q8 ? matrix.values.read<std::int8_t>() : std::vector<std::int8_t>{};
  const auto scales = q8 ? matrix.scales.read<float>() : std::vector<float>{};
  std::vector<float> result(std::size_t{matrix.rows} * matrix.columns);
  for (std::uint32_t row = 0; row < matrix.rows; ++row)
    for (std::uint32_t column = 0; column < matrix.columns; ++column) {
      const std::size_t place = value_index(row, column, matrix.columns);
      result[std::size_t{row} * matrix.columns + column] =
          q8 ? static_cast<float>(bytes[place]) *
                   scales[scale_index(row, column / block_columns, matrix.columns)]
             : floats[place];
    }
  return result;
}

}  // namespace reel::ops
