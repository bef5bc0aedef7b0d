// calls.cpp - from what an op takes to a dispatch: sizes checked, grid and bindings worked out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "ops/host/matmul_panel.hpp"
#include "ops/ops.hpp"

namespace reel::ops {
namespace {

constexpr std::uint32_t group_items = 64, largest_head = 256;
using host::tile_vectors;  // kernels/matmul_*_tile.* have the same number

template <class... A>
Call make_call(const Kernel& kernel, Dim3 groups, const A&... arguments) {
  return {&kernel, groups, {Argument(arguments)...}, sizeof...(A)};
}

std::uint32_t groups_for(std::uint32_t items) { return (items + group_items - 1) / group_items; }

template <class... A>
[[noreturn]] void refuse(fmt::format_string<A...> sentence, A&&... values) {
  throw Error(Code::invalid_argument, fmt::format(sentence, std::forward<A>(values)...));
}

// All elements are of four bytes.
void check_holds(const char* op, const char* name, const BufferRange& range,
                 std::uint64_t elements) {
  if (elements == 0) refuse("{} has a size of 0; the smallest is 1.", op);
  if (elements > UINT32_MAX)
    refuse("{} wants {} elements in '{}'; kernels count in 32 bits.", op, elements, name);
  if (range.size_bytes < elements * 4)
    refuse("{} wants {} bytes in '{}', and the range given has {}.", op, elements * 4, name,
           range.size_bytes);
}

void check_position(const char* op, std::uint32_t position, std::uint32_t rows,
                    std::uint32_t capacity) {
  if (rows == 0 || std::uint64_t{position} + rows > capacity)
    refuse("{} goes from position {} for {} rows; the cache has {} slots.", op, position, rows,
           capacity);
}

}  // namespace

Call Ops::call(const Embedding& op) const {
  check_holds("embedding", "table", op.table, std::uint64_t{op.vocabulary} * op.size);
  check_holds("embedding", "tokens", op.tokens, std::uint64_t{op.position} + op.rows);
  check_holds("embedding", "y", op.y, std::uint64_t{op.rows} * op.size);
  return make_call(embedding_, {groups_for(op.size), op.rows}, in(op.table), in(op.tokens),
                   out(op.y), op.size, op.vocabulary, op.position);
}

Call Ops::call(const RmsNorm& op) const {
  check_holds("rms_norm", "x", op.x, std::uint64_t{op.rows} * op.size);
  check_holds("rms_norm", "weight", op.weight, op.size);
  check_holds("rms_norm", "y", op.y, std::uint64_t{op.rows} * op.size);
  return make_call(rms_norm_, {op.rows}, in(op.x), in(op.weight), out(op.y), op.size, op.epsilon);
}

Call Ops::call(const MatMul& op) const {
  const Matrix& m = op.matrix;
  check_holds("matmul", "x", op.x, std::uint64_t{op.rows} * m.columns);
  check_holds("matmul", "y", op.y, std::uint64_t{op.rows} * m.rows);
  const std::uint32_t panels = groups_for(m.rows);
  const bool f32 = m.format == Format::f32;
  if (op.rows == 1)
    return f32 ? make_call(matmul_f32_, {panels}, in(m.values), in(op.x), out(op.y), m.rows,
                           m.columns)
               : make_call(matmul_q8_, {panels}, in(m.values), in(m.scales), in(op.x), out(op.y),
                           m.rows, m.columns);
  const Dim3 groups{panels, (op.rows + tile_vectors - 1) / tile_vectors};
  return f32 ? make_call(matmul_f32_tile_, groups, in(m.values), in(op.x), out(op.y), m.rows,
                         m.columns, op.rows)
             : make_call(matmul_q8_tile_, groups, in(m.values), in(m.scales), in(op.x), out(op.y),
                         m.rows, m.columns, op.rows);
}

Call Ops::call(const Rope& op) const {
  if (op.head_size % 2 != 0) refuse("rope turns pairs, and head_size is {}.", op.head_size);
  const std::uint64_t end = std::uint64_t{op.position} + op.rows;
  check_holds("rope", "x", op.x, std::uint64_t{op.rows} * op.heads * op.head_size);
  check_holds("rope", "table", op.table, end * op.head_size);
  const std::uint32_t pairs = op.heads * op.head_size / 2;
  return make_call(rope_, {groups_for(pairs), op.rows}, inout(op.x), in(op.table), pairs,
                   op.head_size / 2, op.position);
}

Call Ops::call(const KvAppend& op) const {
  const KvCache& cache = op.cache;
  const std::uint32_t size = cache.kv_heads * cache.head_size;
  check_position("kv_append", op.position, op.rows, cache.capacity);
  check_holds("kv_append", "key", op.key, std::uint64_t{op.rows} * size);
  check_holds("kv_append", "value", op.value, std::uint64_t{op.rows} * size);
  const Dim3 groups{groups_for(size), op.rows};
  if (op.binding == CacheBinding::exact)
    return make_call(kv_append_, groups, in(op.key), in(op.value),
                     out(cache.slots(cache.keys, op.position, op.rows)),
                     out(cache.slots(cache.values, op.position, op.rows)), size, cache.slot_floats,
                     std::uint32_t{0});
  // inout: the other slots keep what they hold.
  return make_call(kv_append_, groups, in(op.key), in(op.value), inout(cache.keys),
                   inout(cache.values), size, cache.slot_floats, op.position);
}

Call Ops::call(const Attention& op) const {
  const KvCache& cache = op.cache;
  if (cache.head_size % 4 != 0 || cache.head_size > largest_head)
    refuse("attention has heads of {}; it takes multiples of 4 up to {}.", cache.head_size,
           largest_head);
  if (op.heads == 0 || op.heads % cache.kv_heads != 0)
    refuse("attention has {} heads for {} key heads; it takes a multiple.", op.heads,
           cache.kv_heads);
  check_position("attention", op.position, op.rows, cache.capacity);
  const std::uint64_t size = std::uint64_t{op.rows} * op.heads * cache.head_size;
  check_holds("attention", "query", op.query, size);
  check_holds("attention", "y", op.y, size);

  const bool exact = op.binding == CacheBinding::exact;
  const std::uint32_t slots = exact ? op.position + op.rows : cache.capacity;
  return make_call(attention_, {op.heads, op.rows}, in(op.query),
                   in(cache.slots(cache.keys, 0, slots)), in(cache.slots(cache.values, 0, slots)),
                   out(op.y), op.heads, op.heads / cache.kv_heads, cache.head_size,
                   cache.slot_floats, op.position,
                   1.0f / std::sqrt(static_cast<float>(cache.head_size)));
}

Call Ops::call(const SwiGlu& op) const {
  check_holds("swiglu", "gate", op.gate, op.size);
  check_holds("swiglu", "up", op.up, op.size);
  check_holds("swiglu", "y", op.y, op.size);
  return make_call(swiglu_, {groups_for(op.size)}, in(op.gate), in(op.up), out(op.y), op.size);
}

Call Ops::call(const ResidualAdd& op) const {
  check_holds("residual_add", "x", op.x, op.size);
  check_holds("residual_add", "y", op.y, op.size);
  return make_call(residual_add_, {groups_for(op.size)}, inout(op.x), in(op.y), op.size);
}

Call Ops::call(const ArgMax& op) const {
  check_holds("argmax", "x", op.x, op.size);
  check_holds("argmax", "tokens", op.tokens, std::uint64_t{op.position} + 1);
  // inout: it sets one of the tokens and keeps the others.
  return make_call(argmax_, {1}, in(op.x), inout(op.tokens), op.size, op.position);
}

}  // namespace reel::ops
