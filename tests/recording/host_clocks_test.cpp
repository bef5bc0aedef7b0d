#include "recording/writing/host_clocks.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include "base/clock.hpp"
#include "recording/captured.hpp"

namespace reel::test {
namespace {

TEST(HostClocks, RealTimeIsReadBetweenTwoLooks) {
  const std::uint64_t before = monotonic_ns();
  const auto row = capture::read_real_time();
  const std::uint64_t after = monotonic_ns();
  EXPECT_EQ(row.kind, ClockKind::real);
  EXPECT_GE(row.time_ns, before);
  EXPECT_LE(row.time_ns, after);
  EXPECT_LE(row.error_ns, after - before);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  EXPECT_NEAR(static_cast<double>(row.other_ns) / 1e9, static_cast<double>(now.tv_sec), 60);
}

TEST(HostClocks, AnAnswerIsKnownToHalfOfItsWay) {
  ClockAnswer answer;
  answer.came_ns = 5'000;
  answer.left_ns = 5'200;
  // Sent at 1000, back at 2200: a thousand on the way, two hundred there.
  const ClockReading reading = reading_of(1'000, 2'200, answer);
  EXPECT_EQ(reading.time_ns, 1'600u);
  EXPECT_EQ(reading.other_ns, 5'100u);
  EXPECT_EQ(reading.error_ns, 502u);
  answer.left_ns = 4'000;  // nonsense
  EXPECT_EQ(reading_of(1'000, 2'200, answer).error_ns, ~std::uint64_t{0});
}

TEST(HostClocks, LooksAtTheStartEachSecondAndAtTheEnd) {
  capture::HostClocks clocks;
  using enum capture::HostClocks::Moment;
  EXPECT_EQ(clocks.look(start).rows.size(), 1u);
  EXPECT_TRUE(clocks.look(meanwhile).rows.empty());
  EXPECT_EQ(clocks.look(end).rows.size(), 1u);
}

TEST(HostClocks, NobodyWhoAnswersIsNoHarm) {
  // A port that nobody has: the next capture goes on, with the real time alone.
  setenv("REEL_CAPTURE_CLOCKS", "127.0.0.1:1", 1);
  const Trace trace = captured([] {});
  setenv("REEL_CAPTURE_CLOCKS", "nonsense", 1);
  const Trace other = captured([] {});
  unsetenv("REEL_CAPTURE_CLOCKS");
  for (const Trace& one : {trace, other}) {
    ASSERT_GE(one.clocks().size(), 2u);
    for (const TraceClock& row : one.clocks()) EXPECT_EQ(row.kind, ClockKind::real);
    EXPECT_LT(one.clocks().front().time_ns, one.clocks().back().time_ns);
    EXPECT_FALSE(one.facts().contains("clock_boot_id"));
  }
}

}  // namespace
}  // namespace reel::test
