// stream_test.hpp - a fixture with the buffers and kernels of RecordingTest, and a stream.
#pragma once

#include "recording_test.hpp"

namespace reel::test {

class StreamTest : public RecordingTest {
 protected:
  Stream stream;

  void SetUp() override {
    RecordingTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    stream = device().stream("line");
  }
};

}  // namespace reel::test
