#include "reel/common_clock.hpp"

#include <gtest/gtest.h>

#include <random>

namespace reel::test {
namespace {

using analysis::ClockBasis;
using analysis::ClockSource;
using analysis::CommonClock;

constexpr std::uint64_t second = 1'000'000'000;

TraceClock common(std::uint64_t time_ns, std::uint64_t other_ns, std::uint64_t error_ns) {
  return {ClockKind::common, time_ns, other_ns, error_ns};
}
TraceClock real(std::uint64_t time_ns, std::uint64_t other_ns, std::uint64_t error_ns = 50) {
  return {ClockKind::real, time_ns, other_ns, error_ns};
}

TEST(CommonClock, OfOneBootTimesAreOfOneClock) {
  // The second process has a time namespace of its own, whose clock is a day ahead.
  const std::vector<ClockSource> sources{{"a", "", 0, {}}, {"a", "", 86'400 * 1'000'000'000ll, {}}};
  const auto clocks = analysis::common_clocks(sources);
  EXPECT_EQ(clocks[0].basis(), ClockBasis::same_boot);
  EXPECT_EQ(clocks[0].at(5)->ns, 5);
  EXPECT_EQ(clocks[1].at(86'400 * second + 7)->ns, 7);
  EXPECT_EQ(clocks[1].at(86'400 * second)->error_ns, 0u);
}

TEST(CommonClock, OfUnknownBootsNothingIsKnown) {
  const std::vector<ClockSource> sources{{"", "", 0, {}}, {"", "", 0, {}}};
  const auto clocks = analysis::common_clocks(sources);
  EXPECT_EQ(clocks[0].basis(), ClockBasis::none);
  EXPECT_FALSE(clocks[0].at(5));
}

TEST(CommonClock, MessagesAreInterpolated) {
  // Ahead by 100 s at the start, and 1 us more each second: 10 us over 10 s.
  ClockSource other{"b", "a", 0, {}};
  other.rows = {real(100 * second, 5), common(100 * second, 0, 40),
                common(110 * second, 10 * second - 10'000, 60)};
  const std::vector<ClockSource> sources{{"a", "", 0, {}}, other};
  const auto clocks = analysis::common_clocks(sources);
  EXPECT_EQ(clocks[0].basis(), ClockBasis::messages);
  EXPECT_EQ(clocks[0].at(77)->ns, 77);
  EXPECT_EQ(clocks[0].at(77)->error_ns, 0u);
  const auto middle = clocks[1].at(105 * second);
  EXPECT_EQ(middle->ns, static_cast<std::int64_t>(5 * second - 5'000));
  // Half of each reading's error, and a millionth of the five seconds to the next one.
  EXPECT_EQ(middle->error_ns, 50u + 5'000u);
  EXPECT_EQ(clocks[1].at(100 * second)->error_ns, 40u);
  EXPECT_EQ(clocks[1].at(110 * second)->error_ns, 60u);
}

TEST(CommonClock, BeyondItsReadingsTheErrorGrows) {
  const CommonClock clock(ClockBasis::messages,
                          {common(100 * second, 0, 40), common(110 * second, 10 * second, 40)}, 0);
  const auto near = clock.at(111 * second), far = clock.at(200 * second);
  EXPECT_EQ(near->ns, static_cast<std::int64_t>(11 * second));
  EXPECT_GT(*near->error_ns, 40u + 1'000u);
  EXPECT_GT(*far->error_ns, 50 * *near->error_ns);
  // Of one reading alone: two quartzes of 100 ppm.
  const CommonClock single(ClockBasis::messages, {common(100 * second, 0, 40)}, 0);
  EXPECT_EQ(single.at(101 * second)->error_ns, 40u + 200'000u);
  EXPECT_EQ(single.at(99 * second)->error_ns, 40u + 200'000u);
}

TEST(CommonClock, RealTimeHasAnErrorOnlyWhereSomebodyKnowsIt) {
  const std::vector<ClockSource> sources{
      {"a", "", 0, {real(10 * second, 1000 * second), real(11 * second, 1001 * second)}},
      {"b", "", 0, {real(70 * second, 1000 * second), real(71 * second, 1001 * second)}}};
  const auto clocks = analysis::common_clocks(sources);
  EXPECT_EQ(clocks[0].basis(), ClockBasis::real_time);
  EXPECT_EQ(clocks[0].at(10 * second)->ns, clocks[1].at(70 * second)->ns);
  EXPECT_FALSE(clocks[0].at(10 * second)->error_ns);
  const auto trusted = analysis::common_clocks(sources, {.real_time_error_ns = 1'000});
  EXPECT_EQ(trusted[0].at(10 * second)->error_ns, 1'050u);
}

TEST(CommonClock, OfARankThatNobodyAnsweredOnlyRealTimeIsLeft) {
  ClockSource asked{"b", "a", 0, {real(1 * second, 9), common(1 * second, 5, 1)}};
  const ClockSource alone{"c", "", 0, {real(1 * second, 9)}};
  const std::vector<ClockSource> sources{asked, alone};
  EXPECT_EQ(analysis::common_clocks(sources)[0].basis(), ClockBasis::real_time);
}

// Clocks that drift and wander as real ones do, read by messages of random delays: the truth is
// never farther away than the error says.
TEST(CommonClock, TheTruthIsWithinTheError) {
  std::mt19937_64 random(4711);
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  for (int run = 0; run < 200; ++run) {
    const double drift = uniform(-100e-6, 100e-6), bend = uniform(-0.5e-6, 0.5e-6) / 60;
    const double ahead = uniform(0, 1e15);
    // Seconds of ours, since the start; rates change by half a millionth in a minute.
    const auto other = [&](double s) { return ahead + 1e9 * (s + drift * s + bend * s * s / 2); };
    std::vector<TraceClock> points;
    for (double s = 0; s <= 60; s += 10) {
      const double there = uniform(2e3, 80e3), back = uniform(2e3, 80e3);
      const double middle = s * 1e9 + (there + back) / 2;
      points.push_back(common(static_cast<std::uint64_t>(1e12 + middle),
                              static_cast<std::uint64_t>(other((s * 1e9 + there) / 1e9)),
                              static_cast<std::uint64_t>((there + back) / 2) + 2));
    }
    const CommonClock clock(ClockBasis::messages, points, 0);
    for (double s = -1; s < 70; s += 0.37) {
      const auto at = clock.at(static_cast<std::uint64_t>(1e12 + s * 1e9));
      const double wrong = std::abs(static_cast<double>(at->ns) - other(s));
      EXPECT_LE(wrong, static_cast<double>(*at->error_ns) + 2) << "run " << run << " at " << s;
    }
  }
}

// A machine that sleeps loses so much against the host that answers, at a moment that nobody reads.
TEST(CommonClock, TheTruthIsWithinTheErrorWhereClocksJump) {
  std::mt19937_64 random(17);
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  for (int run = 0; run < 300; ++run) {
    const double drift = uniform(-100e-6, 100e-6), ahead = uniform(0, 1e15);
    const double slept_at = uniform(1, 59), slept = uniform(0.05, 7200) * (run % 2 ? 1e9 : -1e9);
    const auto other = [&](double s) {
      return 2e15 + ahead + 1e9 * (s + drift * s) + (s > slept_at ? slept : 0);
    };
    // Often there are two readings alone: at start and end.
    const double every = run % 3 == 0 ? 60 : 10;
    std::vector<TraceClock> points;
    for (double s = 0; s <= 60; s += every) {
      const double there = uniform(2e3, 80e3), back = uniform(2e3, 80e3);
      points.push_back(common(static_cast<std::uint64_t>(1e12 + s * 1e9 + (there + back) / 2),
                              static_cast<std::uint64_t>(other(s + there / 1e9)),
                              static_cast<std::uint64_t>((there + back) / 2) + 2));
    }
    const CommonClock clock(ClockBasis::messages, points, 0);
    double largest = 0;
    for (double s = -1; s < 70; s += 0.37) {
      const auto at = clock.at(static_cast<std::uint64_t>(1e12 + s * 1e9));
      const double wrong = std::abs(static_cast<double>(at->ns) - other(s));
      EXPECT_LE(wrong, static_cast<double>(*at->error_ns) + 2) << "run " << run << " at " << s;
      // Away from the readings around the jump, times are as exact as ever.
      if (every < 60 && s > 0 && s < 60 && std::abs(s - slept_at) > 2 * every)
        largest = std::max(largest, static_cast<double>(*at->error_ns));
    }
    EXPECT_LT(largest, 1e6) << "run " << run;
  }
}

}  // namespace
}  // namespace reel::test
