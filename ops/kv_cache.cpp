#include "ops/kv_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace reel::ops {

KvCache make_kv_cache(const Device& device, std::uint32_t capacity, std::uint32_t kv_heads,
                      std::uint32_t head_size, std::string_view label) {
  if (capacity == 0 || kv_heads == 0 || head_size == 0)
    throw Error(
        Code::invalid_argument,
        fmt::format("KV cache '{}' has {} slots of {} heads of {}; each must be at least 1.", label,
                    capacity, kv_heads, head_size));
  // Float4 loads need 16 bytes anyway.
  const std::uint32_t step = std::lcm(device.info().binding_alignment_bytes, 16u) / 4;
  KvCache cache{{}, {}, capacity, kv_heads, head_size, 0};
  cache.slot_floats = (kv_heads * head_size + step - 1) / step * step;
  const std::uint64_t bytes = std::uint64_t{capacity} * cache.slot_floats * sizeof(float);
  cache.keys = device.buffer(bytes, std::string(label) + "/keys");
  cache.values = device.buffer(bytes, std::string(label) + "/values");
  return cache;
}

Buffer make_rope_table(const Device& device, std::uint32_t capacity, std::uint32_t head_size,
                       double base, std::string_view label) {
  if (head_size == 0 || head_size % 2 != 0)
    throw Error(Code::invalid_argument,
                fmt::format("RoPE table '{}' is for heads of {}; it turns pairs, so the size must "
                            "be even.",
                            label, head_size));
  std::vector<float> turns(std::size_t{capacity} * head_size);
  for (std::uint32_t position = 0; position < capacity; ++position)
    for (std::uint32_t i = 0; i < head_size; i += 2) {
      const double angle = position * std::pow(base, -static_cast<double>(i) / head_size);
      turns[std::size_t{position} * head_size + i] = static_cast<float>(std::cos(angle));
      turns[std::size_t{position} * head_size + i + 1] = static_cast<float>(std::sin(angle));
    }
  return device.buffer_of(turns, label);
}

}  // namespace reel::ops
