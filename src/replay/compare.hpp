// compare.hpp - two runs of bytes as numbers of a type: how far apart they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reel/buffer_value.hpp"
#include "reel/replay.hpp"

namespace reel::rerun {

struct Comparison {
  std::uint64_t equal_bytes = 0, close_bytes = 0, different_bytes = 0;
  std::uint64_t different_elements = 0;
  // Where, as ranges of whole elements; the first 256.
  std::vector<ByteSpan> different;
  double largest_absolute = 0, largest_relative = 0;
  std::uint64_t largest_ulp = 0;
};

// Of one size. Without a tolerance, or a type that is real, every byte must be equal.
Comparison compare(std::span<const std::byte> expected, std::span<const std::byte> found,
                   std::optional<ElementType> type, const std::optional<Tolerance>& tolerance);

// Numbers of the type between the two, counted over zero; of reals of one type only.
std::uint64_t ulp_distance(std::span<const std::byte> a, std::span<const std::byte> b,
                           ElementType type);

}  // namespace reel::rerun
