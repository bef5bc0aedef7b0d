// The forward pass compares modes and devices; here is that it sees a difference.
#include "examples/forward_pass/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace forward_pass {
namespace {

Report two_devices() {
  Report report;
  for (const char* id : {"host", "opencl:0"})
    for (const Mode mode : all_modes) {
      Entry entry;
      entry.device.id = id;
      entry.mode = mode;
      entry.run.tokens = {1, 2, 3};
      entry.run.logits = {0.5f, 20.0f, -3.0f};
      report.entries.push_back(entry);
    }
  return report;
}

TEST(ForwardPassReport, IsGoodWhenAllIsEqual) { EXPECT_TRUE(two_devices().good()); }

TEST(ForwardPassReport, IsBadWithoutAnyRun) { EXPECT_FALSE(Report().good()); }

TEST(ForwardPassReport, SeesOneOtherToken) {
  Report report = two_devices();
  report.entries[4].run.tokens[2] = 4;
  EXPECT_FALSE(report.judge(report.entries[4]).tokens_equal);
  EXPECT_FALSE(report.good());
}

TEST(ForwardPassReport, WantsEqualBitsBetweenModesOfADevice) {
  Report report = two_devices();
  float& logit = report.entries[5].run.logits[0];
  logit = std::nextafter(logit, 1.0f);
  EXPECT_FALSE(report.judge(report.entries[5]).bits_equal);
  EXPECT_FALSE(report.good());
}

TEST(ForwardPassReport, AllowsAThousandthOfTheLargestLogitBetweenDevices) {
  Report report = two_devices();
  for (int i = 3; i < 6; ++i) report.entries[i].run.logits[0] += 0.019f;
  EXPECT_TRUE(report.good());
  for (int i = 3; i < 6; ++i) report.entries[i].run.logits[0] += 0.002f;
  EXPECT_FALSE(report.judge(report.entries[3]).within_tolerance);
  EXPECT_FALSE(report.good());
}

TEST(ForwardPassReport, NeverTakesNaNForEqual) {
  Report report = two_devices();
  for (int i = 3; i < 6; ++i)
    report.entries[i].run.logits[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(report.judge(report.entries[3]).logit_difference));
  EXPECT_FALSE(report.good());
}

}  // namespace
}  // namespace forward_pass
