// The cache and attention over it, against a plain loop in double precision.
#include <algorithm>

#include "ops/on_device.hpp"

namespace reel::ops {
namespace {

using AttentionOn = OnDevice;
INSTANTIATE_TEST_SUITE_P(Ops, AttentionOn, testing::Values("host", "opencl", "vulkan"),
                         [](const auto& test) { return std::string(test.param); });

struct Shape {
  std::uint32_t heads, kv_heads, head_size, position, rows;
};

std::vector<double> reference(const Shape& shape, const std::vector<float>& query,
                              const std::vector<float>& keys, const std::vector<float>& values) {
  const std::uint32_t kv_size = shape.kv_heads * shape.head_size;
  std::vector<double> result;
  for (std::uint32_t row = 0; row < shape.rows; ++row)
    for (std::uint32_t head = 0; head < shape.heads; ++head) {
      const std::uint32_t length = shape.position + row + 1;
      const std::uint32_t shared = head / (shape.heads / shape.kv_heads) * shape.head_size;
      const float* q = query.data() + (row * shape.heads + head) * shape.head_size;
      std::vector<double> weights(length);
      for (std::uint32_t t = 0; t < length; ++t) {
        for (std::uint32_t d = 0; d < shape.head_size; ++d)
          weights[t] += double{q[d]} * keys[t * kv_size + shared + d];
        weights[t] /= std::sqrt(double(shape.head_size));
      }
      const double largest = *std::max_element(weights.begin(), weights.end());
      double sum = 0;
      for (double& weight : weights) sum += weight = std::exp(weight - largest);
      for (std::uint32_t d = 0; d < shape.head_size; ++d) {
        double mixed = 0;
        for (std::uint32_t t = 0; t < length; ++t)
          mixed += weights[t] / sum * values[t * kv_size + shared + d];
        result.push_back(mixed);
      }
    }
  return result;
}

TEST_P(AttentionOn, MixesTheValuesOfTheSlotsUpToItsOwn) {
  for (const Shape& shape :
       {Shape{1, 1, 4, 0, 1}, Shape{4, 4, 20, 5, 1}, Shape{4, 2, 64, 63, 1}, Shape{4, 1, 64, 64, 1},
        Shape{6, 3, 96, 130, 1}, Shape{2, 1, 256, 7, 1}, Shape{4, 2, 16, 60, 9}}) {
    SCOPED_TRACE("heads " + std::to_string(shape.heads) + ", position " +
                 std::to_string(shape.position));
    const std::uint32_t slots = shape.position + shape.rows;
    const std::uint32_t kv_size = shape.kv_heads * shape.head_size;
    auto query = numbers.take(shape.rows * shape.heads * shape.head_size);
    for (float& value : query) value *= 4;  // so that the softmax is not flat
    const auto keys = numbers.take(slots * kv_size), values = numbers.take(slots * kv_size);
    const Buffer query_buffer = device.buffer_of(query), key = device.buffer_of(keys),
                 value = device.buffer_of(values), y = device.buffer(query.size() * 4);
    // Two slots more than needed, of which nothing may come through.
    const KvCache cache =
        make_kv_cache(device, slots + 2, shape.kv_heads, shape.head_size, "cache");
    stream.fill(cache.keys, 1e30f);
    stream.fill(cache.values, 1e30f);
    ops->kv_append(stream, {.key = key, .value = value, .cache = cache, .rows = slots});

    ops->attention(stream, {.query = query_buffer,
                            .cache = cache,
                            .y = y,
                            .heads = shape.heads,
                            .position = shape.position,
                            .rows = shape.rows});
    const auto exact = stream.read_now<float>(y);
    expect_near(exact, reference(shape, query, keys, values), 1e-5, "attention");

    ops->attention(stream, {.query = query_buffer,
                            .cache = cache,
                            .y = y,
                            .heads = shape.heads,
                            .position = shape.position,
                            .rows = shape.rows,
                            .binding = CacheBinding::whole});
    EXPECT_EQ(stream.read_now<float>(y), exact);
  }
}

TEST_P(AttentionOn, AppendingWritesItsSlotsAndNoOthers) {
  for (const CacheBinding binding : {CacheBinding::exact, CacheBinding::whole})
    for (const std::uint32_t head_size : {3u, 20u, 64u}) {
      const std::uint32_t size = 2 * head_size, capacity = 7, position = 3, rows = 2;
      const auto key = numbers.take(rows * size), value = numbers.take(rows * size);
      const Buffer key_buffer = device.buffer_of(key), value_buffer = device.buffer_of(value);
      const KvCache cache = make_kv_cache(device, capacity, 2, head_size, "cache");
      stream.fill(cache.keys, 0.5f);
      stream.fill(cache.values, 0.25f);
      ops->kv_append(stream, {.key = key_buffer,
                              .value = value_buffer,
                              .cache = cache,
                              .position = position,
                              .rows = rows,
                              .binding = binding});
      const auto keys = stream.read_now<float>(cache.keys);
      const auto values = stream.read_now<float>(cache.values);
      for (std::uint32_t slot = 0; slot < capacity; ++slot)
        for (std::uint32_t i = 0; i < size; ++i) {
          const bool written = slot >= position && slot < position + rows;
          const std::size_t at = (slot - position) * size + i;
          ASSERT_EQ(keys[slot * cache.slot_floats + i], written ? key[at] : 0.5f);
          ASSERT_EQ(values[slot * cache.slot_floats + i], written ? value[at] : 0.25f);
        }
    }
}

}  // namespace
}  // namespace reel::ops
