// lanes.hpp - which elements a group of 64 covers, as a plain loop that the compiler vectorises.
#pragma once

#include <algorithm>
#include <cstdint>

#include "reel/host_kernel.hpp"

namespace reel::ops::host {

inline constexpr std::uint32_t group_items = 64;

struct Span {
  std::uint32_t begin, end;
};
// The part of [0, size) that this group's items stand for.
inline Span items_of(const HostGroup& group, std::uint32_t size) {
  const std::uint32_t begin = std::min(group.id.x * group_items, size);
  return {begin, std::min(begin + group_items, size)};
}

}  // namespace reel::ops::host
