// matmul_panel.hpp - a panel of a matrix times some vectors: what all matmul kernels of the host
// are made of.
#pragma once

#include <cstdint>

namespace reel::ops::host {

// A group of the tiled kernels multiplies its panel by this many vectors, the last by what is left.
inline constexpr std::uint32_t tile_vectors = 16;

// What one group works on: its panel (../matrix.hpp), and the vectors it is multiplied by.
template <class Weight>
struct PanelWork {
  const Weight* panel;
  const float* scales;       // of q8: [block of 32 columns][row]
  const float* inputs;       // vector after vector, `columns` apart
  float* outputs;            // of the panel's first row; vector after vector, `rows` apart
  std::uint32_t panel_rows;  // at most 64
  std::uint32_t vectors;     // at most tile_vectors
  std::uint32_t rows, columns;
};

// By the widest vectors that this processor has; the results are the same bits with all of them.
void multiply(const PanelWork<float>& work);
void multiply(const PanelWork<std::int8_t>& work);

// With vectors of 16 bytes, which every processor has. For tests that compare.
void multiply_narrow(const PanelWork<float>& work);
void multiply_narrow(const PanelWork<std::int8_t>& work);

}  // namespace reel::ops::host
