#include "graph/order/range_order.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace reel {
namespace {

std::uint64_t place(const BufferRange& range, bool is_end) noexcept {
  return range.offset_bytes + (is_end ? range.size_bytes : 0);
}

}  // namespace

RangeOrder::RangeOrder(std::span<const BufferRange> ranges) {
  points_.reserve(2 * ranges.size());
  for (std::uint32_t i = 0; i < ranges.size(); ++i)
    for (const bool is_end : {false, true}) points_.push_back({i, is_end, Step::greater});
  const auto key = [&](const Point& p) {
    return std::pair(ranges[p.range].buffer, place(ranges[p.range], p.is_end));
  };
  std::ranges::sort(points_, std::less<>(), key);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const bool is_first = i == 0 || key(points_[i - 1]).first != key(points_[i]).first;
    if (is_first)
      points_[i].step = Step::another_buffer;
    else if (key(points_[i - 1]) == key(points_[i]))
      points_[i].step = Step::same;
  }
}

bool RangeOrder::holds_for(std::span<const BufferRange> ranges) const noexcept {
  std::uint64_t before = 0;
  for (const Point& point : points_) {
    const std::uint64_t here = place(ranges[point.range], point.is_end);
    if (point.step == Step::same ? here != before : point.step == Step::greater && here <= before)
      return false;
    before = here;
  }
  return true;
}

}  // namespace reel
