#include "document/trace/loading/clock_map.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace reel::test {
namespace {

using document::ClockMap;
constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(ClockMap, WithoutPointsNothingCanBePlaced) {
  ClockMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.host_ns(5), 0u);
}

TEST(ClockMap, OnePointIsAShift) {
  ClockMap map({{1000, 5000}});
  EXPECT_EQ(map.host_ns(1000), 5000u);
  EXPECT_EQ(map.host_ns(1), 4001u);
  EXPECT_EQ(map.host_ns(3000), 7000u);
}

TEST(ClockMap, BetweenPointsBothRunEvenly) {
  ClockMap map({{3000, 16000}, {1000, 10000}, {2000, 14000}});
  EXPECT_EQ(map.host_ns(500), 9500u);
  EXPECT_EQ(map.host_ns(1250), 11000u);
  EXPECT_EQ(map.host_ns(2500), 15000u);
  EXPECT_EQ(map.host_ns(1250), 11000u);  // back again
  EXPECT_EQ(map.host_ns(2000), 14000u);
  EXPECT_EQ(map.host_ns(3001), 16001u);
}

TEST(ClockMap, PointsThatAgreeWithinTheirErrorsAreOneShift) {
  ClockMap map({{1000, 5010, 20}, {900'000, 904'000, 12}, {500'000, 503'990, 30}});
  ClockMap apart({{1000, 5010, 2}, {900'000, 904'000, 1}});
  EXPECT_EQ(map.host_ns(1000), 5000u) << "the best of the three counts";
  EXPECT_EQ(map.host_ns(400'123) - map.host_ns(400'000), 123u);
  EXPECT_EQ(apart.host_ns(1000), 5010u);
}

TEST(ClockMap, OrderIsKept) {
  ClockMap map(
      {{0, 1}, {1'000'000'000'000, 999'999'999'937}, {2'000'000'000'000, 2'000'000'000'129}});
  std::uint64_t before = 0;
  for (std::uint64_t t = 0; t < 2'100'000'000'000; t += 99'999'999'7) {
    const std::uint64_t now = map.host_ns(t);
    ASSERT_GE(now, before) << t;
    before = now;
  }
}

TEST(ClockMap, PointsWhereAClockStandsStillAreLeftOut) {
  ClockMap map({{10, 100}, {10, 200}, {20, 100}, {30, 50}, {40, 130}});
  EXPECT_EQ(map.left_out(), 3u);
  EXPECT_EQ(map.host_ns(25), 115u);
}

TEST(ClockMap, TimesThatNoClockCanShowAreNotKnown) {
  ClockMap map({{1000, 10}, {2000, most - 10}});
  EXPECT_EQ(map.host_ns(900), 0u);
  EXPECT_EQ(map.host_ns(2010), most);
  EXPECT_EQ(map.host_ns(2011), 0u);
  EXPECT_EQ(map.host_ns(most), 0u);
  EXPECT_LE(map.host_ns(1999), most - 10);
}

}  // namespace
}  // namespace reel::test
