#include <algorithm>
#include <cstddef>
#include <limits>

#include "ops/host/kernels.hpp"
#include "ops/host/lanes.hpp"

namespace reel::ops::host {

void embedding(const HostGroup& group, const float* table, const std::uint32_t* tokens, float* y,
               std::uint32_t size, std::uint32_t vocabulary, std::uint32_t position) {
  const auto [begin, end] = items_of(group, size);
  const std::uint32_t token = tokens[position + group.id.y];
  float* target = y + std::size_t{group.id.y} * size;
  if (token < vocabulary)
    std::copy(table + std::size_t{token} * size + begin, table + std::size_t{token} * size + end,
              target + begin);
  else
    std::fill(target + begin, target + end, std::numeric_limits<float>::quiet_NaN());
}

}  // namespace reel::ops::host
