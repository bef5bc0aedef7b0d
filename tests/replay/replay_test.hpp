// replay_test.hpp - what tests of replays share: a few kernels that the host device finds by name.
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "any_device.hpp"
#include "expect_error.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"
#include "reel/replay.hpp"
#include "replay/told.hpp"

namespace reel::test {

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

}  // namespace reel::test
