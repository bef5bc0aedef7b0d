// replay_test.hpp - what tests of replays share: a few kernels that the host device finds by name.
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "any_device.hpp"
#include "expect_error.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"
#include "reel/replay.hpp"

namespace reel::test {

inline constexpr ReplayOrder every_order[] = {ReplayOrder::recorded, ReplayOrder::sequential,
                                              ReplayOrder::relaxed};

class ReplayTest : public RecordingTest {
 protected:
  void SetUp() override {
    RecordingTest::SetUp();
    for (const KernelSource& source :
         {mad_source(), mix_source(), step_source(), increment_source(), scale_source(),
          add_source(), reverse_source(), count_source()})
      register_host_kernel(source.name, source.host);
  }

  // Captured with the results of every command.
  template <class F>
  static Trace captured_all(F&& work) {
    return captured(work, {.contents = Contents::all});
  }

  ReplayReport replayed(const Trace& trace, const ReplayOptions& options = {}) const {
    return replay(trace, device(), options);
  }
};

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
