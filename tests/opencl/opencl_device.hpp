// opencl_device.hpp - a test on the first OpenCL device; skipped, with the reason, where there is
// none, and failed where REEL_REQUIRE_DEVICES=1.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "reel/reel.hpp"

namespace reel::test {

class OpenclTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device = open_device("opencl");
    } catch (const Error& error) {
      const char* required = std::getenv("REEL_REQUIRE_DEVICES");
      if (required && std::string_view(required) == "1") FAIL() << error.what();
      GTEST_SKIP() << "opencl device is not here: " << error.what();
    }
  }
  Device device;
};

// An environment variable for the length of a scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~ScopedVariable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace reel::test
