#include <algorithm>
#include <cstddef>

#include "ops/host/kernels.hpp"
#include "ops/host/lanes.hpp"

namespace reel::ops::host {

void kv_append(const HostGroup& group, const float* key, const float* value, float* keys,
               float* values, std::uint32_t size, std::uint32_t slot_floats, std::uint32_t slot) {
  const auto [begin, end] = items_of(group, size);
  const std::size_t source = std::size_t{group.id.y} * size;
  const std::size_t target = (std::size_t{slot} + group.id.y) * slot_floats + begin;
  std::copy(key + source + begin, key + source + end, keys + target);
  std::copy(value + source + begin, value + source + end, values + target);
}

}  // namespace reel::ops::host
