// filled_test.hpp - a fixture whose buffers x and y hold two ramps before anything is recorded.
#pragma once

#include "replay/replay_test.hpp"

namespace reel::test {

class FilledReplayTest : public ReplayTest {
 protected:
  void SetUp() override {
    ReplayTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    x.write(ramp(1));
    y.write(ramp(1000));
  }
};

}  // namespace reel::test
