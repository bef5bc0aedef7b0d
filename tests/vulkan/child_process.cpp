#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "backends/vulkan/device/loader.hpp"
#include "vulkan/vulkan_test.hpp"

namespace reel {
namespace {

// Every test of this program is also a test that the validation layer stays silent, if it is on.
class SilentValidation : public ::testing::Environment {
 public:
  void TearDown() override {
    if (std::getenv("REEL_TEST_PROVOKES_VALIDATION")) return;
    EXPECT_EQ(vulkan::validation_message_count(), 0u);
  }
};
const auto* const silent_validation = ::testing::AddGlobalTestEnvironment(new SilentValidation);

}  // namespace

ChildResult run_in_child(const std::string& test, const std::string& variables) {
  std::array<char, PATH_MAX> self{};
  if (readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) return {};
  const std::string command = variables + " '" + self.data() +
                              "' --gtest_also_run_disabled_tests --gtest_filter=" + test + " 2>&1";
  ChildResult result;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return result;
  std::array<char, 4096> chunk;
  while (const std::size_t got = fread(chunk.data(), 1, chunk.size(), pipe))
    result.output.append(chunk.data(), got);
  result.status = pclose(pipe);
  return result;
}

}  // namespace reel
