// What a replay concludes from a document, where a wrong conclusion is near: commands that failed
// or were refused, order that only times tell, checks that were taken out.
#include <gmock/gmock.h>

#include <numeric>

#include "opencl/opencl_device.hpp"
#include "recording/captured.hpp"
#include "reel/replay.hpp"
#include "replay/foreign_document.hpp"
#include "replay/told.hpp"

namespace reel::test {
namespace {

using testing::HasSubstr;

const document::Facts of_layer{{"program", "foreign"}, {"api", "opencl"}};
constexpr std::uint32_t count = 64;
constexpr std::uint64_t bytes = count * 4;

const char* const source = R"(
kernel void set(global uint* x, uint v) { x[get_global_id(0)] = v + get_global_id(0); }
// Long enough for a queue beside it to come first.
kernel void slow_set(global uint* x, uint v) {
  uint h = get_global_id(0);
  for (int i = 0; i < 3000000; ++i) h = h * 1664525u + 1013904223u;
  x[get_global_id(0)] = v + get_global_id(0) + (h == 12345u && v == 77777u);
}
kernel void add(global const uint* x, global uint* y) { y[get_global_id(0)] = x[get_global_id(0)] + 1; }
kernel void address(global ulong* x) { x[get_global_id(0)] = (ulong)(x + get_global_id(0)); }
)";

Bytes ramp_from(std::uint32_t first) {
  std::vector<std::uint32_t> list(count);
  std::iota(list.begin(), list.end(), first);
  return bytes_of_all(list);
}

class VerdictTest : public OpenclTest {
 protected:
  ForeignDocument document() {
    return ForeignDocument(folder_.path("x" + std::to_string(documents_++) + ".reel"),
                           device.info(), 1, of_layer);
  }
  const Grid grid{.groups = {count, 1, 1}};
  const ScratchFolder folder_;
  int documents_ = 0;
};

TEST_F(VerdictTest, ARefusedNoteTakesNoCheckAway) {
  ForeignDocument made = document();
  const auto x = made.buffer(bytes, ramp_from(0)), set = made.kernel("set", source);
  const auto c = made.dispatch(set, grid, {both(x, 0, bytes), value(5u)});
  made.check(c, x, ramp_from(5));
  made.note("refused", "c0 was refused: clEnqueueNDRangeKernel answered CL_INVALID_VALUE (-30).");
  // Somebody says that it did nothing, and the check says that it did.
  const ReplayReport report = replay(made.load());
  EXPECT_EQ(report.verdict(), Verdict::different) << told(report);
  EXPECT_EQ(report.checks, 1u);
}

TEST_F(VerdictTest, WhatStandsBesideARefusedCommandIsChecked) {
  ForeignDocument made = document();
  const auto x = made.buffer(bytes, ramp_from(0)), y = made.buffer(bytes, ramp_from(0)),
             set = made.kernel("set", source);
  made.dispatch(set, grid, {both(x, 0, bytes), value(5u)});
  const auto refused = made.dispatch(set, grid, {both(y, 0, bytes), value(9u)});
  made.note("refused", "c1 was refused: clEnqueueNDRangeKernel answered CL_INVALID_VALUE (-30).");
  made.check(refused, x, ramp_from(5));
  const ReplayReport report = replay(made.load());
  EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
  EXPECT_EQ(report.checks, 1u);
}

TEST_F(VerdictTest, ACommandThatFailedIsNotRunAndProvesNothing) {
  ForeignDocument made = document();
  const auto x = made.buffer(bytes, ramp_from(0)), y = made.buffer(bytes, ramp_from(0)),
             set = made.kernel("set", source);
  const auto failed = made.dispatch(set, grid, {both(x, 0, bytes), value(5u)});
  made.note("failed", "c0 ended with CL_OUT_OF_RESOURCES (-5).");
  made.check(failed, x, ramp_from(0));
  const auto good = made.dispatch(set, grid, {both(y, 0, bytes), value(9u)});
  made.check(good, y, ramp_from(9));
  const ReplayReport report = replay(made.load());
  EXPECT_EQ(report.verdict(), Verdict::not_proved) << told(report);
  ASSERT_EQ(report.left_out.size(), 1u);
  EXPECT_THAT(report.left_out[0].reason, HasSubstr("CL_OUT_OF_RESOURCES"));
  EXPECT_EQ(report.equal_checks, 1u);
}

TEST_F(VerdictTest, OrderThatTimesProveIsKept) {
  ForeignDocument made = document();
  const auto x = made.buffer(bytes, ramp_from(0)), y = made.buffer(bytes, ramp_from(0));
  const auto set = made.kernel("slow_set", source), add = made.kernel("add", source);
  const auto other = made.stream(0);
  const auto first = made.dispatch(set, grid, {both(x, 0, bytes), value(100u)});
  const auto second = made.dispatch(add, grid, {in(x, 0, bytes), both(y, 0, bytes)}, other);
  made.stamp(first, 10'000, 20'000);
  made.stamp(second, 30'000, 40'000);
  made.check(second, y, ramp_from(101));
  made.check(second, x, ramp_from(100));
  const ReplayReport report = replay(made.load());
  EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_THAT(report.warnings[0], HasSubstr("relied on timing"));
  ASSERT_EQ(report.possible_races.size(), 1u);
  EXPECT_TRUE(report.possible_races[0].is_kept);
}

// Given second, and done before the first began.
TEST_F(VerdictTest, OrderThatTimesProveIsKeptAgainstTheOrderOfTheCalls) {
  ForeignDocument made = document();
  const auto x = made.buffer(bytes, ramp_from(0)), y = made.buffer(bytes, ramp_from(0));
  const auto set = made.kernel("slow_set", source), add = made.kernel("add", source);
  const auto other = made.stream(0);
  const auto first = made.dispatch(add, grid, {in(x, 0, bytes), both(y, 0, bytes)});
  const auto second = made.dispatch(set, grid, {both(x, 0, bytes), value(100u)}, other);
  made.stamp(first, 30'000, 40'000);
  made.stamp(second, 10'000, 20'000);
  made.check(first, y, ramp_from(101));
  made.check(second, x, ramp_from(100));
  const ReplayReport report = replay(made.load());
  EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
}

// What was there before both was read for the one that was given first.
TEST_F(VerdictTest, AnInputIsThereForWhoeverRanFirst) {
  ForeignDocument made = document();
  const auto x = made.undefined_buffer(bytes), y = made.buffer(bytes, ramp_from(0));
  const auto set = made.kernel("slow_set", source), add = made.kernel("add", source);
  const auto other = made.stream(0);
  const auto first = made.dispatch(set, grid, {both(x, 0, bytes), value(100u)});
  const auto second = made.dispatch(add, grid, {in(x, 0, bytes), both(y, 0, bytes)}, other);
  made.contents(ContentRole::input, first, x, 0, ramp_from(7));
  made.stamp(first, 30'000, 40'000);
  made.stamp(second, 10'000, 20'000);
  made.check(second, y, ramp_from(8));
  made.check(first, x, ramp_from(100));
  const ReplayReport report = replay(made.load());
  EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
  EXPECT_EQ(report.checks, 2u);
}

TEST_F(VerdictTest, KernelsThatShareABufferAreAPossibleRaceAndNoVerdict) {
  ForeignDocument made = document();
  const auto x = made.buffer(2 * bytes, bytes_of_all(std::vector<std::uint32_t>(2 * count)));
  const auto set = made.kernel("set", source);
  const auto other = made.stream(0);
  // The one writes the first half, the other the second; OpenCL has no word for it.
  made.dispatch(set, grid, {both(x, 0, 2 * bytes), value(0u)});
  Grid upper = grid;
  upper.offset = {count, 0, 0};
  const auto last = made.dispatch(set, upper, {both(x, 0, 2 * bytes), value(0u)}, other);
  std::vector<std::uint32_t> all(2 * count);
  std::iota(all.begin(), all.end(), 0u);
  made.check(last, x, bytes_of_all(all));
  const ReplayReport report = replay(made.load());
  EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
  EXPECT_TRUE(report.races.empty());
  EXPECT_EQ(report.possible_races.size(), 1u);
}

TEST_F(VerdictTest, NotesOfPolledOrderAreWarnings) {
  ForeignDocument made = document();
  const auto x = made.buffer(bytes, ramp_from(0)), set = made.kernel("set", source);
  const auto c = made.dispatch(set, grid, {both(x, 0, bytes), value(5u)});
  made.check(c, x, ramp_from(5));
  made.note("polled_order", "c0 was given after the program had asked whether another was done.");
  const ReplayReport report = replay(made.load());
  EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
  EXPECT_THAT(report.warnings, testing::ElementsAre(HasSubstr("had asked")));
}

TEST_F(VerdictTest, ADifferenceIsRunOnceMore) {
  ForeignDocument made = document();
  const auto x = made.buffer(bytes, ramp_from(0)), set = made.kernel("set", source);
  const auto c = made.dispatch(set, grid, {both(x, 0, bytes), value(5u)});
  made.check(c, x, ramp_from(6));
  const ReplayReport report = replay(made.load());
  EXPECT_EQ(report.verdict(), Verdict::different) << told(report);
  EXPECT_TRUE(report.was_run_again);
  EXPECT_TRUE(report.unsteady.empty());
}

TEST_F(VerdictTest, AddressesStoredAsDataAreExplained) {
  ForeignDocument made = document();
  const auto x = made.buffer(2 * bytes, bytes_of_all(std::vector<std::uint32_t>(2 * count)));
  const auto address = made.kernel("address", source);
  const auto c = made.dispatch(address, grid, {both(x, 0, 2 * bytes)});
  std::vector<std::uint64_t> recorded(count);
  std::iota(recorded.begin(), recorded.end(), std::uint64_t{0x7f12'3456'0000});
  made.contents(ContentRole::check, c, x, 0, bytes_of_all(recorded), true);
  const ReplayReport report = replay(made.load());
  ASSERT_EQ(report.verdict(), Verdict::different) << told(report);
  EXPECT_THAT(report.differences[0].hint, HasSubstr("addresses"));
}

}  // namespace
}  // namespace reel::test
