// increment.hpp - a[i] += 1 over a whole buffer, in groups of 256: as small or large as its buffer.
#pragma once

#include <cstdint>

#include "reel/reel.hpp"

namespace bench {

// 64, as add_one has, would be more groups than a device must allow.
inline constexpr std::uint32_t group_items = 256;

// Its host form can be found by name, too, so that a document of it can be replayed there.
reel::Kernel increment_kernel(const reel::Device& device);

inline reel::Launch increments(std::uint64_t elements) {
  return {.groups = {static_cast<std::uint32_t>(elements / group_items)},
          .group_size = {group_items}};
}

}  // namespace bench
