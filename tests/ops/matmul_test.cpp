// What matmul promises beyond its value: the same bits whatever the tile, the width of vectors or
// the device.
#include <random>

#include "ops/host/matmul_panel.hpp"
#include "ops/on_device.hpp"

namespace reel::ops {
namespace {

class MatMulBits : public OnDevice {};
INSTANTIATE_TEST_SUITE_P(Ops, MatMulBits, testing::Values("host", "opencl", "vulkan"),
                         [](const auto& test) { return std::string(test.param); });

struct Shape {
  Format format;
  std::uint32_t rows, columns, vectors;
  std::string text() const {
    return std::string(to_string(format)) + " " + std::to_string(rows) + " x " +
           std::to_string(columns) + ", " + std::to_string(vectors) + " vectors";
  }
};

// Shapes around the sizes of panels, blocks and tiles.
Shape random_shape(std::mt19937& random) {
  const auto upto = [&](std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(1, most)(random);
  };
  const Format format = upto(2) == 1 ? Format::f32 : Format::q8;
  return {format, upto(140), upto(6) * (format == Format::q8 ? 32 : 4 * upto(9)), upto(36)};
}

TEST_P(MatMulBits, ATileGivesTheBitsThatItsVectorsGiveOneByOne) {
  std::mt19937 random(20);
  const Device host = open_device("host");
  const Ops host_ops(host);
  for (int i = 0; i < 40; ++i) {
    const Shape shape = random_shape(random);
    const auto weights = numbers.take(std::size_t{shape.rows} * shape.columns);
    const auto x = numbers.take(std::size_t{shape.columns} * shape.vectors);
    const auto multiplied_on = [&](const Device& on, const Ops& with, bool together) {
      const Matrix matrix = make_matrix(on, weights, shape.rows, shape.columns, shape.format, "w");
      const Stream line = on.stream("multiply");
      std::vector<float> all;
      const std::uint32_t step = together ? shape.vectors : 1;
      for (std::uint32_t v = 0; v < shape.vectors; v += step) {
        const auto part =
            std::span(x).subspan(std::size_t{v} * shape.columns, std::size_t{step} * shape.columns);
        const Buffer input = on.buffer_of(std::vector<float>(part.begin(), part.end()));
        const Buffer y = on.buffer(std::uint64_t{step} * shape.rows * 4);
        with.matmul(line, {.matrix = matrix, .x = input, .y = y, .rows = step});
        const auto found = line.read_now<float>(y);
        all.insert(all.end(), found.begin(), found.end());
      }
      return all;
    };
    const auto tiled = multiplied_on(device, *ops, true);
    ASSERT_EQ(tiled, multiplied_on(device, *ops, false)) << shape.text();
    ASSERT_EQ(tiled, multiplied_on(host, host_ops, true)) << shape.text() << ", on the host";
  }
}

template <class Weight>
void expect_equal_widths(std::uint32_t panel_rows, std::uint32_t vectors, std::uint32_t columns) {
  Numbers numbers(3);
  std::vector<Weight> panel(std::size_t{64} * columns);
  for (Weight& weight : panel) weight = static_cast<Weight>(numbers.next() * 100);
  const auto scales = numbers.take(std::size_t{64} * (columns / 32 + 1));
  const auto inputs = numbers.take(std::size_t{columns} * vectors);
  std::vector<float> wide(std::size_t{panel_rows} * vectors), narrow = wide;
  host::PanelWork<Weight> work{panel.data(), scales.data(), inputs.data(), wide.data(),
                               panel_rows,   vectors,       panel_rows,    columns};
  host::multiply(work);
  work.outputs = narrow.data();
  host::multiply_narrow(work);
  ASSERT_EQ(wide, narrow) << panel_rows << " rows, " << vectors << " vectors, " << columns
                          << " columns";
}

TEST(MatMulPanel, TheWidthOfVectorsChangesNoBit) {
  for (const std::uint32_t panel_rows : {1u, 2u, 15u, 16u, 17u, 63u, 64u})
    for (std::uint32_t vectors = 1; vectors <= host::tile_vectors; ++vectors)
      for (const std::uint32_t columns : {32u, 96u, 64u, 416u}) {
        expect_equal_widths<float>(panel_rows, vectors, columns);
        expect_equal_widths<float>(panel_rows, vectors, columns + 4);
        expect_equal_widths<std::int8_t>(panel_rows, vectors, columns);
      }
}

}  // namespace
}  // namespace reel::ops
