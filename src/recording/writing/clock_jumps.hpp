// clock_jumps.hpp - whether the real-time clock was set, or the machine slept, between two
// readings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/columns/rows.hpp"

namespace reel::capture {

struct ClockLook {
  document::HostClockRow row;  // of the real time
  std::int64_t slept_ns = 0;   // how long the machine was suspended since it started
};

// A sentence each.
std::vector<std::string> jumps_between(const ClockLook& before, const ClockLook& now);

}  // namespace reel::capture
