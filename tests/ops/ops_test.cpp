// Each op against a plain loop in double precision, on every device.
#include <limits>

#include "ops/on_device.hpp"

namespace reel::ops {
namespace {

INSTANTIATE_TEST_SUITE_P(Ops, OnDevice, testing::Values("host", "opencl", "vulkan"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(OnDevice, EmbeddingTakesTheRowOfEachToken) {
  constexpr std::uint32_t vocabulary = 9;
  for (const std::uint32_t size : {1u, 5u, 64u, 200u}) {
    const auto table = numbers.take(vocabulary * size);
    const std::vector<std::uint32_t> tokens{0, 0, 8, 3, vocabulary};
    const Buffer table_buffer = device.buffer_of(table), token_buffer = device.buffer_of(tokens);
    const Buffer y = device.buffer(3 * size * 4);
    ops->embedding(stream, {.table = table_buffer,
                            .tokens = token_buffer,
                            .y = y,
                            .size = size,
                            .vocabulary = vocabulary,
                            .position = 2,
                            .rows = 3});
    const auto found = stream.read_now<float>(y);
    for (std::uint32_t i = 0; i < size; ++i) {
      ASSERT_EQ(found[i], table[8 * size + i]) << "size " << size;
      ASSERT_EQ(found[size + i], table[3 * size + i]) << "size " << size;
      ASSERT_TRUE(std::isnan(found[2 * size + i])) << "a token past the vocabulary";
    }
  }
}

TEST_P(OnDevice, RmsNormDividesByTheRootOfTheMeanSquare) {
  for (const std::uint32_t size : {1u, 3u, 63u, 64u, 65u, 1000u})
    for (const std::uint32_t rows : {1u, 3u}) {
      const auto x = numbers.take(size * rows), weight = numbers.take(size);
      const Buffer x_buffer = device.buffer_of(x), weight_buffer = device.buffer_of(weight);
      const Buffer y = device.buffer(x_buffer.size_bytes());
      ops->rms_norm(stream, {.x = x_buffer,
                             .weight = weight_buffer,
                             .y = y,
                             .size = size,
                             .rows = rows,
                             .epsilon = 1e-5f});
      std::vector<double> expected;
      for (std::uint32_t row = 0; row < rows; ++row) {
        double sum = 0;
        for (std::uint32_t i = 0; i < size; ++i)
          sum += double{x[row * size + i]} * x[row * size + i];
        for (std::uint32_t i = 0; i < size; ++i)
          expected.push_back(x[row * size + i] / std::sqrt(sum / size + 1e-5) * weight[i]);
      }
      expect_near(stream.read_now<float>(y), expected, 1e-6, "size " + std::to_string(size));
    }
}

TEST_P(OnDevice, MatMulMultipliesEachVectorByTheMatrix) {
  for (const Format format : {Format::f32, Format::q8})
    for (const std::uint32_t rows : {1u, 3u, 64u, 65u, 200u})
      for (const std::uint32_t columns : {4u, 36u, 32u, 96u, 256u})
        for (const std::uint32_t vectors : {1u, 3u, 8u, 21u}) {
          if (format == Format::q8 && columns % 32 != 0) continue;
          const auto weights = numbers.take(rows * columns), x = numbers.take(columns * vectors);
          const Matrix matrix = make_matrix(device, weights, rows, columns, format, "w");
          const auto stored = unpack(matrix);
          const Buffer x_buffer = device.buffer_of(x), y = device.buffer(rows * vectors * 4);
          ops->matmul(stream, {.matrix = matrix, .x = x_buffer, .y = y, .rows = vectors});
          std::vector<double> expected;
          for (std::uint32_t v = 0; v < vectors; ++v)
            for (std::uint32_t row = 0; row < rows; ++row) {
              double sum = 0;
              for (std::uint32_t c = 0; c < columns; ++c)
                sum += double{stored[row * columns + c]} * x[v * columns + c];
              expected.push_back(sum);
            }
          expect_near(stream.read_now<float>(y), expected, 1e-5,
                      std::string(to_string(format)) + " " + std::to_string(rows) + " x " +
                          std::to_string(columns));
        }
}

TEST_P(OnDevice, AMatrixHoldsTheWeightsItWasMadeFrom) {
  const std::uint32_t rows = 70, columns = 64;
  const auto weights = numbers.take(rows * columns);
  EXPECT_EQ(unpack(make_matrix(device, weights, rows, columns, Format::f32, "w")), weights);
  const auto rounded = unpack(make_matrix(device, weights, rows, columns, Format::q8, "w"));
  ASSERT_EQ(rounded.size(), weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    ASSERT_NEAR(rounded[i], weights[i], 1.0 / 127 / 2 + 1e-6) << i;
}

TEST_P(OnDevice, RopeTurnsEachPairByTheAngleOfItsPosition) {
  for (const std::uint32_t head_size : {2u, 6u, 64u, 130u}) {
    const std::uint32_t heads = 3, rows = 2, position = 11, capacity = 16;
    const auto x = numbers.take(heads * head_size * rows);
    const Buffer x_buffer = device.buffer_of(x);
    const Buffer table = make_rope_table(device, capacity, head_size);
    ops->rope(stream, {.x = x_buffer,
                       .table = table,
                       .heads = heads,
                       .head_size = head_size,
                       .position = position,
                       .rows = rows});
    std::vector<double> expected(x.size());
    for (std::uint32_t row = 0; row < rows; ++row)
      for (std::uint32_t head = 0; head < heads; ++head)
        for (std::uint32_t i = 0; i < head_size; i += 2) {
          const double angle = (position + row) * std::pow(10000.0, -double(i) / head_size);
          const std::size_t at = (row * heads + head) * head_size + i;
          expected[at] = x[at] * std::cos(angle) - x[at + 1] * std::sin(angle);
          expected[at + 1] = x[at] * std::sin(angle) + x[at + 1] * std::cos(angle);
        }
    expect_near(stream.read_now<float>(x_buffer), expected, 1e-6,
                "head_size " + std::to_string(head_size));
  }
}

TEST_P(OnDevice, SwiGluIsRightFromFarBelowToFarAboveZero) {
  for (const std::uint32_t size : {1u, 3u, 65u, 1000u}) {
    auto gate = numbers.take(size);
    const auto up = numbers.take(size);
    for (float& value : gate) value *= 200;
    for (std::uint32_t i = 0; i < size; i += 2) gate[i] /= 100;
    const Buffer gate_buffer = device.buffer_of(gate), up_buffer = device.buffer_of(up);
    const Buffer y = device.buffer(size * 4);
    ops->swiglu(stream, {.gate = gate_buffer, .up = up_buffer, .y = y, .size = size});
    std::vector<double> expected(size);
    for (std::uint32_t i = 0; i < size; ++i)
      expected[i] = gate[i] / (1 + std::exp(-double{gate[i]})) * up[i];
    expect_near(stream.read_now<float>(y), expected, 1e-6, "size " + std::to_string(size));
  }
}

TEST_P(OnDevice, NaNGoesThroughSwiGlu) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Buffer gate = device.buffer_of(std::vector<float>{nan, 1}),
               up = device.buffer_of(std::vector<float>{1, 1}), y = device.buffer(8);
  ops->swiglu(stream, {.gate = gate, .up = up, .y = y, .size = 2});
  const auto found = stream.read_now<float>(y);
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_FALSE(std::isnan(found[1]));
}

TEST_P(OnDevice, ResidualAddAddsInPlace) {
  for (const std::uint32_t size : {1u, 63u, 64u, 1001u}) {
    const auto x = numbers.take(size), y = numbers.take(size);
    const Buffer x_buffer = device.buffer_of(x), y_buffer = device.buffer_of(y);
    ops->residual_add(stream, {.x = x_buffer, .y = y_buffer, .size = size});
    const auto found = stream.read_now<float>(x_buffer);
    for (std::uint32_t i = 0; i < size; ++i) ASSERT_EQ(found[i], x[i] + y[i]) << i;
  }
}

TEST_P(OnDevice, ArgMaxFindsTheFirstOfTheLargest) {
  for (const std::uint32_t size : {1u, 2u, 63u, 64u, 65u, 1000u, 32001u})
    for (const std::uint32_t place : {0u, size / 3, size / 2, size - 1}) {
      auto x = numbers.take(size);
      for (float& value : x) value -= 5;
      x[place] = x[size - 1] = -2;
      const Buffer x_buffer = device.buffer_of(x);
      const Buffer tokens = device.buffer_of(std::vector<std::uint32_t>(4, 77));
      ops->argmax(stream, {.x = x_buffer, .tokens = tokens, .size = size, .position = 2});
      EXPECT_EQ(stream.read_now<std::uint32_t>(tokens),
                (std::vector<std::uint32_t>{77, 77, place, 77}))
          << "size " << size;
    }
}

TEST_P(OnDevice, ArgMaxOfNothingButMinusInfinityIsTheFirst) {
  const Buffer x =
      device.buffer_of(std::vector<float>(130, -std::numeric_limits<float>::infinity()));
  const Buffer tokens = device.buffer_of(std::vector<std::uint32_t>{9});
  ops->argmax(stream, {.x = x, .tokens = tokens, .size = 130});
  EXPECT_EQ(stream.read_now<std::uint32_t>(tokens)[0], 0u);
}

}  // namespace
}  // namespace reel::ops
