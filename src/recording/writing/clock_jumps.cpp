#include "recording/writing/clock_jumps.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "reel/units.hpp"

namespace reel::capture {
namespace {

// As fast as the system lets a clock catch up (500 ppm), and 10 more for what quartz does.
constexpr std::uint64_t most_drift_ppm = 510;
// Below this nobody would call it a jump; a thread that was moved to another core has read so late.
constexpr std::uint64_t least_jump_ns = 1'000'000;

std::uint64_t size_of(std::int64_t ns) { return static_cast<std::uint64_t>(std::abs(ns)); }

}  // namespace

// Real time is never more than a few hundred millionths faster or slower than the monotonic clock,
// unless somebody set it or the machine slept.
std::vector<std::string> jumps_between(const ClockLook& before, const ClockLook& now) {
  std::vector<std::string> notes;
  const auto ours = static_cast<std::int64_t>(now.row.time_ns - before.row.time_ns);
  const auto theirs = static_cast<std::int64_t>(now.row.other_ns - before.row.other_ns);
  const std::int64_t more = theirs - ours, asleep = now.slept_ns - before.slept_ns;
  const std::uint64_t allowed = static_cast<std::uint64_t>(ours) / 1'000'000 * most_drift_ppm +
                                now.row.error_ns + before.row.error_ns + least_jump_ns;
  if (asleep > static_cast<std::int64_t>(least_jump_ns))
    notes.push_back(
        fmt::format("The machine slept for {}: times before and after are of one clock that "
                    "stood still meanwhile.",
                    time_text(size_of(asleep))));
  if (const std::int64_t set = more - asleep; size_of(set) > allowed)
    notes.push_back(fmt::format("The real-time clock was set {} by {} while this was recorded.",
                                set > 0 ? "forward" : "back", time_text(size_of(set))));
  return notes;
}

}  // namespace reel::capture
