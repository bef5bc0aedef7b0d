// range_order.hpp - how the byte ranges of a line of commands lie to each other, buffer by buffer.
//
// Hazards follow from comparisons of where ranges of one buffer begin and end, and from nothing
// else (hazard_map.hpp). So where the ranges of a second line compare as those of the first do,
// both have the same hazards, and a plan made for one is the plan of the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reel/buffer.hpp"

namespace reel {

class RangeOrder {
 public:
  // In the order of the line. None is empty.
  explicit RangeOrder(std::span<const BufferRange> ranges);
  // Of as many ranges, each of the same buffer as before.
  bool holds_for(std::span<const BufferRange> ranges) const noexcept;

 private:
  enum class Step : std::uint8_t { another_buffer, same, greater };
  // Where a range begins or ends, and how that compares with the point before.
  struct Point {
    std::uint32_t range;
    bool is_end;
    Step step;
  };
  std::vector<Point> points_;  // by buffer, from the first byte to the last
};

}  // namespace reel
