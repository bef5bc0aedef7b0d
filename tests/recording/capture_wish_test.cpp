// Whether the environment asks for a capture is asked before every pass, in a way of its own: after
// whatever the program did to it meanwhile, the answer is that of getenv().
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "capture/environment.hpp"

namespace reel::capture {
namespace {

bool is_there() {
  const char* value = std::getenv("REEL_CAPTURE");
  return value && *value;
}

class CaptureWish : public testing::TestWithParam<unsigned> {
 protected:
  void TearDown() override {
    unsetenv("REEL_CAPTURE");
    for (int i = 0; i < 8; ++i) unsetenv(name(i).c_str());
  }
  static std::string name(unsigned i) { return "SOME_VARIABLE_" + std::to_string(i % 8); }
};

TEST_P(CaptureWish, IsAskedAsIfItWereWalkedEachTime) {
  std::mt19937 random(GetParam());
  static char put[64];  // stays in the environment as long as nobody takes it out
  for (int step = 0; step < 2000; ++step) {
    for (unsigned changes = random() % 8; changes; --changes) {
      const unsigned number = random();
      switch (random() % 6) {
        case 0:
          setenv("REEL_CAPTURE", "document.reel", 1);
          break;
        case 1:
          setenv("REEL_CAPTURE", "", 1);
          break;
        case 2:
          unsetenv("REEL_CAPTURE");
          break;
        case 3:
          setenv(name(number).c_str(), number & 1 ? "1" : "another", 1);
          break;
        case 4:
          unsetenv(name(number).c_str());
          break;
        default:  // the same string, which says another thing
          unsetenv("REEL_CAPTURE");
          unsetenv(name(0).c_str());
          std::string(number & 1 ? "REEL_CAPTURE=put.reel" : name(0) + "=1").copy(put, 63);
          put[number & 1 ? 21 : 17] = '\0';
          putenv(put);
      }
    }
    ASSERT_EQ(is_capture_asked_for(), is_there()) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CaptureWish, testing::Range(1u, 9u));

}  // namespace
}  // namespace reel::capture
