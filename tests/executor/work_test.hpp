// work_test.hpp - a test that gives random work to a device, with the kernels of it.
#pragma once

#include "random_work.hpp"
#include "recording_test.hpp"

namespace reel::test {

class WorkTest : public RecordingTest {
 protected:
  WorkKernels kernels;

  void SetUp() override {
    RecordingTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    kernels = {mad_kernel, mix_kernel, build(reverse_source())};
  }
};

}  // namespace reel::test
