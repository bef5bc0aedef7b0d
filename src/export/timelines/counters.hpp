// counters.hpp - numbers over time that timelines show under a device.
#pragma once

#include <cstdint>
#include <vector>

#include "reel/analysis.hpp"

namespace reel {

struct CounterPoint {
  std::uint64_t time_ns = 0, value = 0;  // from here on
};
using Counter = std::vector<CounterPoint>;  // by time, one point a moment

// Bytes of buffers that are allocated, by device.
std::vector<Counter> memory_counters(const Trace& trace, const analysis::Memory& memory);

// Commands that were given to a device and have not ended, by device. Only those of which both
// times are known take part.
std::vector<Counter> depth_counters(const Trace& trace);

}  // namespace reel
