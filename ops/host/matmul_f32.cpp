#include <algorithm>
#include <cstddef>

#include "ops/host/kernels.hpp"
#include "ops/host/lanes.hpp"
#include "ops/host/matmul_panel.hpp"

namespace reel::ops::host {
namespace {

void multiply_group(const HostGroup& group, const float* weights, const float* x, float* y,
                    std::uint32_t rows, std::uint32_t columns, std::size_t first_vector,
                    std::uint32_t vectors) {
  const auto [begin, end] = items_of(group, rows);
  multiply(PanelWork<float>{.panel = weights + std::size_t{group.id.x} * group_items * columns,
                            .scales = nullptr,
                            .inputs = x + first_vector * columns,
                            .outputs = y + first_vector * rows + begin,
                            .panel_rows = end - begin,
                            .vectors = vectors,
                            .rows = rows,
                            .columns = columns});
}

}  // namespace

void matmul_f32(const HostGroup& group, const float* weights, const float* x, float* y,
                std::uint32_t rows, std::uint32_t columns) {
  multiply_group(group, weights, x, y, rows, columns, group.id.y, 1);
}

void matmul_f32_tile(const HostGroup& group, const float* weights, const float* x, float* y,
                     std::uint32_t rows, std::uint32_t columns, std::uint32_t vectors) {
  const std::uint32_t first = group.id.y * tile_vectors;
  if (first >= vectors) return;  // a document of smaller tiles has more groups
  multiply_group(group, weights, x, y, rows, columns, first,
                 std::min(tile_vectors, vectors - first));
}

}  // namespace reel::ops::host
