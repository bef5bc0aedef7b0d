// clock_map.hpp - from the clock of a device to the host's.
//
// Between two points both run evenly; before the first and after the last equally fast. Points that
// differ by no more than their errors say nothing of how fast clocks run: then the best one counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reel::document {

struct ClockPoint {
  std::uint64_t device_ns = 0, host_ns = 0;
  std::uint64_t error_ns = 0;  // of host_ns, either way
};

class ClockMap {
 public:
  ClockMap() = default;
  // Points at which one of the clocks stands still or goes back are left out: counted where their
  // errors don't explain it.
  explicit ClockMap(std::vector<ClockPoint> points);

  bool empty() const noexcept { return points_.empty(); }
  // Does it run as fast as the host's, as far as is known?
  bool is_even() const noexcept { return points_.size() == 1; }
  std::size_t left_out() const noexcept { return left_out_; }
  // The largest of the points that count; 0 where there is none.
  std::uint64_t error_ns() const noexcept;
  // 0 where it would be before the host's clock began, or past what 64 bits hold. Fastest when
  // asked for times that lie close to each other.
  std::uint64_t host_ns(std::uint64_t device_ns);

 private:
  std::vector<ClockPoint> points_;  // rising on both clocks
  std::vector<double> slopes_;      // [i]: from point i to the next
  std::size_t left_out_ = 0;
  std::size_t last_ = 0;  // the segment of the last answer
};

}  // namespace reel::document
