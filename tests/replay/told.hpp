// told.hpp - what tests of replays say of a report.
#pragma once

#include <string>

#include "reel/replay.hpp"

namespace reel::test {

inline constexpr ReplayOrder every_order[] = {ReplayOrder::recorded, ReplayOrder::sequential,
                                              ReplayOrder::relaxed};

// A sentence for a failed test: verdict, first difference, what was not checked.
inline std::string told(const ReplayReport& report) {
  std::string text = to_string(report.verdict());
  if (!report.differences.empty()) {
    const Difference& d = report.differences.front();
    text += " at c" + std::to_string(d.command) + ": expected " + d.expected + ", found " + d.found;
  }
  for (const Race& race : report.races)
    text += " race c" + std::to_string(race.first) + " c" + std::to_string(race.second);
  for (const Unchecked& one : report.unchecked) text += " not checked: " + one.reason;
  return text;
}

}  // namespace reel::test
