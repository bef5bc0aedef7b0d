// matmul_tile.hpp - the loops of the matmul kernels, in vectors as wide as the processor has.
//
// Every output has four running sums, one for each column modulo four, as in all kernels of matmul:
// a register holds those of one row (SSE) or of two (AVX2), so its width changes no bit. Sums wait
// in the first-level cache while other rows of the panel have their turn: a panel is then read from
// front to back, some kilobytes at a time, and each weight serves all vectors of a tile while it is
// there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ops/host/lanes.hpp"
#include "ops/host/matmul_panel.hpp"

namespace reel::ops::host {

// The vectors that a function is compiled for.
struct Narrow {
  using Floats = float __attribute__((vector_size(16)));
  using Loose =
      float __attribute__((vector_size(16), aligned(4), may_alias));  // in memory, wherever it lies
  static constexpr std::uint32_t rows = 1;

  // Four columns of a vector, for each row of a register.
  [[gnu::always_inline]] static void spread(const float* four, Floats& result) {
    result = *reinterpret_cast<const Loose*>(four);
  }
  // A scale for each row of a register.
  [[gnu::always_inline]] static void each_row(const float* scales, Floats& result) {
    result = Floats{scales[0], scales[0], scales[0], scales[0]};
  }
};

struct Wide {
  using Floats = float __attribute__((vector_size(32)));
  using Loose = float __attribute__((vector_size(32), aligned(4), may_alias));
  static constexpr std::uint32_t rows = 2;

  [[gnu::always_inline]] static void spread(const float* four, Floats& result) {
    const Narrow::Floats once = *reinterpret_cast<const Narrow::Loose*>(four);
    result = __builtin_shufflevector(once, once, 0, 1, 2, 3, 0, 1, 2, 3);
  }
  [[gnu::always_inline]] static void each_row(const float* scales, Floats& result) {
    const float a = scales[0], b = scales[1];
    result = Floats{a, a, a, a, b, b, b, b};
  }
};

// Some columns of a panel, and the vectors' elements that they meet.
struct Slice {
  const float* weights;  // [column / 4][row % 64][column % 4]
  const float* scales;   // null: of f32
  const float* inputs;   // vector after vector, `stride` apart
  std::size_t stride;
  std::uint32_t columns;
};

// Adds the columns of a slice to the sums of `registers` registers of rows times `vectors` vectors.
// The products of q8 are summed by themselves and scaled once.
template <class Vector, std::uint32_t registers, std::uint32_t vectors, bool scaled>
[[gnu::always_inline]] inline void add_columns(const Slice& slice, std::uint32_t row,
                                               std::uint32_t vector, float* sums) {
  using Floats = typename Vector::Floats;
  using Loose = typename Vector::Loose;
  constexpr std::uint32_t width = Vector::rows * 4;
  const auto place = [&](std::uint32_t v, std::uint32_t r) __attribute__((always_inline)) {
    return reinterpret_cast<Loose*>(sums + ((vector + v) * group_items + row) * 4 + r * width);
  };
  Floats total[vectors][registers];
#pragma GCC unroll 8
  for (std::uint32_t v = 0; v < vectors; ++v)
#pragma GCC unroll 8
    for (std::uint32_t r = 0; r < registers; ++r)
      total[v][r] = scaled ? Floats{} : Floats(*place(v, r));

  const float* weights = slice.weights + std::size_t{row} * 4;
  const float* inputs = slice.inputs + vector * slice.stride;
  for (std::uint32_t c = 0; c < slice.columns; c += 4, weights += group_items * 4) {
    Floats input[vectors];
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < vectors; ++v)
      Vector::spread(inputs + v * slice.stride + c, input[v]);
#pragma GCC unroll 8
    for (std::uint32_t r = 0; r < registers; ++r) {
      const Floats weight = *reinterpret_cast<const Loose*>(weights + r * width);
#pragma GCC unroll 8
      for (std::uint32_t v = 0; v < vectors; ++v) total[v][r] += weight * input[v];
    }
  }

#pragma GCC unroll 8
  for (std::uint32_t r = 0; r < registers; ++r) {
    [[maybe_unused]] Floats scale;
    if constexpr (scaled) Vector::each_row(slice.scales + row + r * Vector::rows, scale);
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < vectors; ++v)
      if constexpr (scaled)
        *place(v, r) += total[v][r] * scale;
      else
        *place(v, r) = total[v][r];
  }
}

// A panel times at most tile_vectors vectors. Rows past the last of the matrix are zeros in its
// panel: computed, and not stored.
template <class Vector, class Weight>
[[gnu::always_inline]] inline void multiply_panel(const PanelWork<Weight>& work) {
  constexpr bool scaled = sizeof(Weight) == 1;
  // A block of scales, or 16 KiB of floats, which stay in the first-level cache for all vectors.
  constexpr std::uint32_t step = scaled ? 32 : 64;
  // 4 x 2 registers of sums keep both adders of a processor busy, and leave room for operands; a
  // single vector has 8 of its own.
  constexpr std::uint32_t pair_registers = 4, single_registers = 8;
  alignas(64) float sums[tile_vectors * group_items * 4];
  std::memset(sums, 0, sizeof(float) * 4 * group_items * work.vectors);
  alignas(64) float unpacked[scaled ? step * group_items : 1];
  for (std::uint32_t begin = 0; begin < work.columns; begin += step) {
    const Weight* weights = work.panel + std::size_t{begin} * group_items;
    Slice slice{nullptr, nullptr, work.inputs + begin, work.columns,
                std::min(step, work.columns - begin)};
    if constexpr (scaled) {
      for (std::uint32_t i = 0; i < step * group_items; ++i) unpacked[i] = weights[i];
      slice.weights = unpacked;
      slice.scales = work.scales + std::size_t{begin / step} * group_items;
    } else {
      slice.weights = weights;
    }
    std::uint32_t vector = 0;
    for (; vector + 2 <= work.vectors; vector += 2)
      for (std::uint32_t row = 0; row < work.panel_rows; row += pair_registers * Vector::rows)
        add_columns<Vector, pair_registers, 2, scaled>(slice, row, vector, sums);
    if (vector < work.vectors)
      for (std::uint32_t row = 0; row < work.panel_rows; row += single_registers * Vector::rows)
        add_columns<Vector, single_registers, 1, scaled>(slice, row, vector, sums);
  }
  for (std::uint32_t v = 0; v < work.vectors; ++v)
    for (std::uint32_t row = 0; row < work.panel_rows; ++row) {
      const float* sum = sums + (v * group_items + row) * 4;
      work.outputs[std::size_t{v} * work.rows + row] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

}  // namespace reel::ops::host
