// The exp that all kernels share, against the one of the C library in double precision.
#include "ops/host/exp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace reel::ops {
namespace {

TEST(PortableExp, IsWithinThreeUnitsInTheLastPlace) {
  double worst = 0;
  for (float x = -87.0f; x <= 88.0f; x += 0.00731f) {
    const double expected = std::exp(double{x});
    const double unit = std::ldexp(1.0, std::ilogb(expected) - 23);
    worst = std::max(worst, std::abs(portable_exp(x) - expected) / unit);
  }
  EXPECT_LE(worst, 3.0);
}

TEST(PortableExp, IsExactAtZeroClampedAtTheEndsAndKeepsNaN) {
  EXPECT_EQ(portable_exp(0.0f), 1.0f);
  EXPECT_EQ(portable_exp(-1e30f), portable_exp(-87.0f));
  EXPECT_EQ(portable_exp(1e30f), portable_exp(88.0f));
  EXPECT_LT(portable_exp(-87.0f), 2e-38f);
  EXPECT_TRUE(std::isnan(portable_exp(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace reel::ops
