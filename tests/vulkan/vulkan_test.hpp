// vulkan_test.hpp - what the tests of this backend share.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "reel/reel.hpp"

namespace reel {

// The Vulkan device, or the test is skipped with the reason.
class Vulkan : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const DeviceInfo& info : devices()) {
      if (info.backend != "vulkan") continue;
      if (!info.available()) GTEST_SKIP() << info.unavailable;
      device = open_device(info.id);
      return;
    }
    GTEST_SKIP() << "no Vulkan backend";
  }

  Kernel glsl(const std::string& name, const std::string& body) {
    return device.kernel({.name = name, .glsl = "#version 450\n" + body});
  }
  // data[i] = data[i] * factor + term
  Kernel scale_kernel() {
    return glsl("scale", R"(
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Values { uint count; uint factor; uint term; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) data[i] = data[i] * factor + term;
}
)");
  }

  Device device;
};

inline std::vector<std::uint32_t> counting(std::size_t count, std::uint32_t first = 0) {
  std::vector<std::uint32_t> result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

struct ChildResult {
  int status = -1;
  std::string output;  // both streams
};
// Runs one test of this program, by name, in a process of its own with these variables set.
ChildResult run_in_child(const std::string& test, const std::string& variables);

}  // namespace reel
