// A driver that is missing or broken is a device that says so. Each in a process of its own: a
// library is loaded once.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "reel/device.hpp"

namespace reel::test {
namespace {

// Prints what the backend lists and ends the process, with 0 when that is one unavailable entry.
[[noreturn]] void list_with(const char* variable, const std::string& value) {
  setenv(variable, value.c_str(), 1);
  int entries = 0, available = 0;
  for (const DeviceInfo& info : devices()) {
    if (info.backend != "opencl") continue;
    ++entries;
    if (info.available()) ++available;
    std::fprintf(stderr, "%s: %s\n", info.id.c_str(), info.unavailable.c_str());
  }
  std::exit(entries == 1 && available == 0 ? 0 : 1);
}

class OpenclLoading : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(OpenclLoading, AMissingLibraryIsADeviceThatSaysSo) {
  EXPECT_EXIT(
      list_with("REEL_OPENCL_LIBRARY", "/nowhere/libOpenCL.so.1"), testing::ExitedWithCode(0),
      "opencl: The OpenCL library '/nowhere/libOpenCL.so.1' can't be loaded: .*No such file");
}

TEST_F(OpenclLoading, ACorruptLibraryIsADeviceThatSaysSo) {
  const std::string path = testing::TempDir() + "reel_corrupt_opencl.so";
  std::ofstream(path) << "this is no library";
  EXPECT_EXIT(list_with("REEL_OPENCL_LIBRARY", path), testing::ExitedWithCode(0),
              "opencl: The OpenCL library '.*reel_corrupt_opencl.so' can't be loaded: ");
  std::remove(path.c_str());
}

TEST_F(OpenclLoading, ALibraryThatIsNotOpenclIsADeviceThatSaysSo) {
  EXPECT_EXIT(list_with("REEL_OPENCL_LIBRARY", "libm.so.6"), testing::ExitedWithCode(0),
              "opencl: The OpenCL library 'libm.so.6' has no clGetPlatformIDs");
}

TEST_F(OpenclLoading, NoPlatformIsADeviceThatSaysSo) {
  EXPECT_EXIT(list_with("OCL_ICD_VENDORS", "/nowhere"), testing::ExitedWithCode(0),
              "opencl: No OpenCL platform is installed");
}

}  // namespace
}  // namespace reel::test
