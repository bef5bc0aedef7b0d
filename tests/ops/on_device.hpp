// on_device.hpp - tests of ops, written once and run on every device.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "any_device.hpp"
#include "ops/ops.hpp"
#include "reel/reel.hpp"

namespace reel::ops {

// Numbers between -1 and 1, the same on every machine.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  float next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<float>(static_cast<std::int32_t>(state_ >> 32)) / 2147483648.0f;
  }
  std::vector<float> take(std::size_t count) {
    std::vector<float> result(count);
    for (float& value : result) value = next();
    return result;
  }

 private:
  std::uint64_t state_;
};

// A test of ops; the kernels are compiled once a device.
class OnDevice : public test::AnyDevice {
 protected:
  void SetUp() override;

  Device device;
  Stream stream;
  const Ops* ops = nullptr;
  Numbers numbers{7};
};

// |found - expected| <= tolerance * (1 + |expected|), element by element.
void expect_near(const std::vector<float>& found, const std::vector<double>& expected,
                 double tolerance, const std::string& what);

}  // namespace reel::ops
