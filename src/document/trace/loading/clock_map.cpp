#include "document/trace/loading/clock_map.hpp"

#include <algorithm>
#include <limits>

namespace reel::document {

namespace {

// Whether a clock that runs as fast as the host's may have given both.
bool agree(const ClockPoint& a, const ClockPoint& b) {
  const std::uint64_t offset_a = a.host_ns - a.device_ns, offset_b = b.host_ns - b.device_ns;
  const std::uint64_t apart = std::min(offset_a - offset_b, offset_b - offset_a);
  return apart <= a.error_ns || apart - a.error_ns <= b.error_ns;
}

}  // namespace

ClockMap::ClockMap(std::vector<ClockPoint> points) {
  const auto best = std::ranges::min_element(points, {}, &ClockPoint::error_ns);
  if (std::ranges::all_of(points, [&](const ClockPoint& p) { return agree(p, *best); }) &&
      best != points.end())
    points = {*best};
  std::ranges::stable_sort(points, {}, &ClockPoint::device_ns);
  for (const ClockPoint& point : points) {
    const auto is_before = [&](const ClockPoint& last) {
      return last.device_ns < point.device_ns && last.host_ns < point.host_ns;
    };
    // Of two that only seem to go back, because one is uncertain, the better one counts.
    while (!points_.empty() && !is_before(points_.back()) && agree(points_.back(), point) &&
           point.error_ns < points_.back().error_ns)
      points_.pop_back();
    if (points_.empty() || is_before(points_.back()))
      points_.push_back(point);
    else if (!agree(points_.back(), point))
      ++left_out_;
  }
  for (std::size_t i = 1; i < points_.size(); ++i)
    slopes_.push_back(static_cast<double>(points_[i].host_ns - points_[i - 1].host_ns) /
                      static_cast<double>(points_[i].device_ns - points_[i - 1].device_ns));
}

std::uint64_t ClockMap::error_ns() const noexcept {
  std::uint64_t most = 0;
  for (const ClockPoint& point : points_) most = std::max(most, point.error_ns);
  return most;
}

std::uint64_t ClockMap::host_ns(std::uint64_t device_ns) {
  if (points_.empty()) return 0;
  const ClockPoint &first = points_.front(), &end = points_.back();
  if (device_ns <= first.device_ns) {
    const std::uint64_t before = first.device_ns - device_ns;
    return before < first.host_ns ? first.host_ns - before : 0;
  }
  if (device_ns >= end.device_ns) {
    const std::uint64_t after = device_ns - end.device_ns;
    return after <= std::numeric_limits<std::uint64_t>::max() - end.host_ns ? end.host_ns + after
                                                                            : 0;
  }
  if (device_ns < points_[last_].device_ns || device_ns >= points_[last_ + 1].device_ns) {
    const auto next = std::ranges::upper_bound(points_, device_ns, {}, &ClockPoint::device_ns);
    last_ = static_cast<std::size_t>(next - points_.begin()) - 1;
  }
  const ClockPoint &from = points_[last_], &to = points_[last_ + 1];
  // Exact to a nanosecond for points that are less than fifty days apart.
  const double since = static_cast<double>(device_ns - from.device_ns) * slopes_[last_];
  const auto most = static_cast<double>(to.host_ns - from.host_ns);
  return since < most ? from.host_ns + static_cast<std::uint64_t>(since) : to.host_ns;
}

}  // namespace reel::document
