// calls.hpp - what each op takes. Ranges are of floats, row after row, unless said otherwise.
//
// `rows` are tokens that go through together: one when decoding, many for a prompt.
#pragma once

#include <cstdint>

#include "ops/kv_cache.hpp"
#include "ops/matrix.hpp"
#include "reel/buffer.hpp"

namespace reel::ops {

// y = table[tokens[position + row]]. A token past the vocabulary gives NaN.
struct Embedding {
  BufferRange table;   // vocabulary x size
  BufferRange tokens;  // uint32
  BufferRange y;
  std::uint32_t size = 0, vocabulary = 0;
  std::uint32_t position = 0, rows = 1;
};

// y = x / sqrt(mean(x^2) + epsilon) * weight
struct RmsNorm {
  BufferRange x, weight, y;
  std::uint32_t size = 0, rows = 1;
  float epsilon = 1e-5f;
};

// y = matrix x
struct MatMul {
  const Matrix& matrix;
  BufferRange x, y;
  std::uint32_t rows = 1;  // vectors, not rows of the matrix
};

// Turns x in place, each pair of neighbours of every head by the angle of its position.
struct Rope {
  BufferRange x, table;
  std::uint32_t heads = 0, head_size = 0;
  std::uint32_t position = 0, rows = 1;
};

// Puts key and value into the slots from `position` on.
struct KvAppend {
  BufferRange key, value;
  const KvCache& cache;
  std::uint32_t position = 0, rows = 1;
  CacheBinding binding = CacheBinding::exact;
};

// y = softmax(query keys^T / sqrt(head_size)) values, each row over the slots up to its own.
// `heads` is a multiple of the cache's kv_heads: neighbouring heads share keys and values.
struct Attention {
  BufferRange query;
  const KvCache& cache;
  BufferRange y;
  std::uint32_t heads = 0;
  std::uint32_t position = 0, rows = 1;
  CacheBinding binding = CacheBinding::exact;
};

// y = gate / (1 + e^-gate) * up
struct SwiGlu {
  BufferRange gate, up, y;
  std::uint32_t size = 0;
};

// x += y
struct ResidualAdd {
  BufferRange x, y;
  std::uint32_t size = 0;
};

// tokens[position] = where x is largest, the first of equals.
struct ArgMax {
  BufferRange x;
  BufferRange tokens;  // uint32
  std::uint32_t size = 0, position = 0;
};

}  // namespace reel::ops
