// How the clocks of host and device stand, told by the calls that give commands.
#include <gtest/gtest.h>

#include "recording/calls/call_queue.hpp"

namespace reel::test {
namespace {

using capture::CallClock;

constexpr std::uint64_t millisecond = 1'000'000, second = 1'000'000'000;

// As the recording does with a row that it writes.
void tell(CallClock& clock) {
  ASSERT_TRUE(clock.is_due());
  clock.told(clock.row);
  clock.tightest_ns = ~std::uint64_t{0};
}

TEST(CallClock, AFirstCallThatTakesLongIsSoonReplaced) {
  CallClock clock;
  clock.look_at(1000, 1000 + 7 * millisecond, 5);  // a driver sets itself up
  EXPECT_EQ(clock.row.error_ns, 7 * millisecond / 2);
  tell(clock);
  clock.look_at(8 * millisecond, 13 * millisecond, 6);  // tells hardly more
  EXPECT_FALSE(clock.is_due());
  clock.look_at(14 * millisecond, 14 * millisecond + 4000, 7);
  EXPECT_EQ(clock.row.error_ns, 2000u);
  tell(clock);
  clock.look_at(15 * millisecond, 15 * millisecond + 3000, 8);
  EXPECT_FALSE(clock.is_due());
}

TEST(CallClock, TheBestOfEachSecondIsTold) {
  CallClock clock;
  clock.look_at(1000, 3000, 5);
  tell(clock);
  clock.look_at(2 * second, 2 * second + 2 * millisecond, 9);
  tell(clock);
  EXPECT_EQ(clock.row.error_ns, millisecond);
}

}  // namespace
}  // namespace reel::test
