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
  // The weights of q8 that fill a register.
  [[gnu::always_inline]] static void unpack(const std::int8_t* from, Floats& result) {
    result = Floats{static_cast<float>(from[0]), static_cast<float>(from[1]),
                    static_cast<float>(from[2]), static_cast<float>(from[3])};
  }
  // The four sums of each of 4 * rows rows become their results: (0 + 1) + (2 + 3).
  [[gnu::always_inline]] static void add_up(const float* sums, float* results) {
    const auto* from = reinterpret_cast<const Loose*>(sums);
    const Floats a = from[0], b = from[1], c = from[2], d = from[3];
    const Floats ab =
        __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
    const Floats cd =
        __builtin_shufflevector(c, d, 0, 2, 4, 6) + __builtin_shufflevector(c, d, 1, 3, 5, 7);
    *reinterpret_cast<Loose*>(results) =
        __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
  }
};

struct Wide {
  using Floats = float __attribute__((vector_size(32)));
  using Loose = float __attribute__((vector_size(32), aligned(4), may_alias));
  using Words = std::int32_t __attribute__((vector_size(32)));
  static constexpr std::uint32_t rows = 2;

  [[gnu::always_inline]] static void spread(const float* four, Floats& result) {
    const Narrow::Floats once = *reinterpret_cast<const Narrow::Loose*>(four);
    result = __builtin_shufflevector(once, once, 0, 1, 2, 3, 0, 1, 2, 3);
  }
  [[gnu::always_inline]] static void each_row(const float* scales, Floats& result) {
    const float a = scales[0], b = scales[1];
    result = Floats{a, a, a, a, b, b, b, b};
  }
  // g++ 12 goes number by number where clang takes this one instruction, and an intrinsic would
  // have to stand in a function for AVX2 alone.
  [[gnu::always_inline]] static void unpack(const std::int8_t* from, Floats& result) {
    Words words;
#if defined(__x86_64__) && !defined(__clang__)
    asm("vpmovsxbd %1, %0"
        : "=x"(words)
        : "m"(*reinterpret_cast<const std::int8_t(*)[rows * 4]>(from)));
#else
    std::int8_t bytes __attribute__((vector_size(rows * 4)));
    std::memcpy(&bytes, from, sizeof bytes);
    words = __builtin_convertvector(bytes, Words);
#endif
    result = __builtin_convertvector(words, Floats);
  }
  // Each half of a register has a row: they are put in order at the end.
  [[gnu::always_inline]] static void add_up(const float* sums, float* results) {
    const auto* from = reinterpret_cast<const Loose*>(sums);
    const Floats a = from[0], b = from[1], c = from[2], d = from[3];
    const Floats ab = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
                      __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
    const Floats cd = __builtin_shufflevector(c, d, 0, 2, 8, 10, 4, 6, 12, 14) +
                      __builtin_shufflevector(c, d, 1, 3, 9, 11, 5, 7, 13, 15);
    const Floats all = __builtin_shufflevector(ab, cd, 0, 2, 8, 10, 4, 6, 12, 14) +
                       __builtin_shufflevector(ab, cd, 1, 3, 9, 11, 5, 7, 13, 15);
    *reinterpret_cast<Loose*>(results) = __builtin_shufflevector(all, all, 0, 4, 1, 5, 2, 6, 3, 7);
  }
};

// Some columns of a panel, and the vectors' elements that they meet.
template <class Weight>
struct Slice {
  const Weight* weights;  // [column / 4][row % 64][column % 4]
  const float* scales;    // null: of f32
  const float* inputs;    // vector after vector, `stride` apart
  std::size_t stride;
  std::uint32_t columns;
};

template <class Vector>
[[gnu::always_inline]] inline void load_weights(const float* from,
                                                typename Vector::Floats& result) {
  result = *reinterpret_cast<const typename Vector::Loose*>(from);
}
template <class Vector>
[[gnu::always_inline]] inline void load_weights(const std::int8_t* from,
                                                typename Vector::Floats& result) {
  Vector::unpack(from, result);
}

// Adds the columns of a slice to the sums of `registers` registers of rows times `vectors` vectors.
// The products of q8 are summed by themselves and scaled once.
template <class Vector, std::uint32_t registers, std::uint32_t vectors, bool scaled, class Weight>
[[gnu::always_inline]] inline void add_columns(const Slice<Weight>& slice, std::uint32_t row,
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

  const Weight* weights = slice.weights + std::size_t{row} * 4;
  const float* inputs = slice.inputs + vector * slice.stride;
  for (std::uint32_t c = 0; c < slice.columns; c += 4, weights += group_items * 4) {
    Floats input[vectors];
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < vectors; ++v)
      Vector::spread(inputs + v * slice.stride + c, input[v]);
#pragma GCC unroll 8
    for (std::uint32_t r = 0; r < registers; ++r) {
      Floats weight;
      load_weights<Vector>(weights + r * width, weight);
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
  [[maybe_unused]] alignas(64) float unpacked[scaled ? step * group_items : 1];
  for (std::uint32_t begin = 0; begin < work.columns; begin += step) {
    const Weight* const weights = work.panel + std::size_t{begin} * group_items;
    const float* const scales =
        scaled ? work.scales + std::size_t{begin / step} * group_items : nullptr;
    const float* const inputs = work.inputs + begin;
    const std::uint32_t columns = std::min(step, work.columns - begin);
    if (work.vectors == 1) {
      const Slice<Weight> slice{weights, scales, inputs, work.columns, columns};
      for (std::uint32_t row = 0; row < work.panel_rows; row += single_registers * Vector::rows)
        add_columns<Vector, single_registers, 1, scaled>(slice, row, 0, sums);
      continue;
    }
    // What all vectors need is unpacked once.
    Slice<float> slice{nullptr, scales, inputs, work.columns, columns};
    if constexpr (scaled) {
      for (std::uint32_t i = 0; i < step * group_items; ++i) unpacked[i] = weights[i];
      slice.weights = unpacked;
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
  alignas(64) float results[group_items];
  for (std::uint32_t v = 0; v < work.vectors; ++v) {
    for (std::uint32_t row = 0; row < work.panel_rows; row += 4 * Vector::rows)
      Vector::add_up(sums + (v * group_items + row) * 4, results + row);
    std::memcpy(work.outputs + std::size_t{v} * work.rows, results,
                work.panel_rows * sizeof(float));
  }
}

}  // namespace reel::ops::host
