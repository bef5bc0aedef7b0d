// any_device.hpp - a test written once and run for every device.
//
//   TEST_P(AnyDevice, ACopyMovesExactlyTheBytesAskedFor) { Stream s = device().stream(); … }
//
// The parameter is a selector ("host", "opencl", "vulkan"), or the name of a device that is opened
// with a variable set ("vulkan_indirect"). Each device is opened once per process and closed after
// the last test. One that can't be opened skips its tests and says why, or
// fails them where REEL_REQUIRE_DEVICES=1. Filter with --gtest_filter='*/host'.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "reel/device.hpp"
#include "reel/kernel.hpp"
#include "reel/stream.hpp"

namespace reel::test {

class AnyDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override;

  static Device device() { return device(GetParam()); }
  static const DeviceInfo& info() { return device_info(GetParam()); }
  static bool is(std::string_view backend) { return info().backend == backend; }

  // Built once per device and process, whatever the number of tests that use it.
  static Kernel build(const KernelSource& source);

  // A device other than this one: of another backend, or this one opened again where that makes
  // a device of its own. Null where there is none.
  static Device another_device();

 private:
  static Device device(const std::string& selector);
  static const DeviceInfo& device_info(const std::string& selector);
};

// Devices that compile source; the host's kernels come compiled already.
class CompilingDevice : public AnyDevice {};

}  // namespace reel::test
