#include "document/trace/loading/clock_map.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

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

TEST(ClockMap, OfTwoPointsThatOnlySeemToGoBackTheBetterOneCounts) {
  // A first call that took 7 ms, and one of 2 µs right after it; a second later the clocks have
  // drifted too far for one shift.
  const document::ClockPoint slow{1'000'000, 8'000'000, 3'500'000},
      quick{1'100'000, 5'600'000, 1000}, late{1'001'100'000, 1'005'650'000, 1000};
  ClockMap map({slow, quick, late});
  EXPECT_EQ(map.left_out(), 0u);
  EXPECT_EQ(map.host_ns(1'100'000), 5'600'000u);
  EXPECT_EQ(map.host_ns(1'000'000), 5'500'000u);
  EXPECT_EQ(map.error_ns(), 1000u);
}

// Looks at two clocks that drift, some of them held up by milliseconds: none is wrong, so none is
// called wrong, and times keep their order.
TEST(ClockMap, BelievesEachLookWithinItsError) {
  std::mt19937_64 random(7);
  for (int clock = 0; clock < 3000; ++clock) {
    const double speed = 1 + (static_cast<double>(random() % 200) - 100) * 1e-6;
    const auto device_at = [&](std::uint64_t host_ns) {
      return static_cast<std::uint64_t>(static_cast<double>(host_ns) * speed);
    };
    std::vector<document::ClockPoint> points;
    std::uint64_t now = 10'000'000'000;
    for (std::uint64_t looks = 2 + random() % 12; looks > 0; --looks) {
      const std::uint64_t error = 1 + random() % (std::uint64_t{1} << random() % 23);
      const std::uint64_t told = now - error + random() % (2 * error + 1);
      points.push_back({device_at(now), told, error});
      now += 1 + random() % (std::uint64_t{1} << random() % 31);
    }
    const std::uint64_t end = now;
    ClockMap map(points);
    ASSERT_EQ(map.left_out(), 0u) << "clock " << clock;
    std::uint64_t before = 0;
    for (std::uint64_t at = 10'000'000'000; at < end; at += 1 + (end - 10'000'000'000) / 50) {
      const std::uint64_t placed = map.host_ns(device_at(at));
      ASSERT_GE(placed, before) << "clock " << clock;
      before = placed;
    }
  }
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
