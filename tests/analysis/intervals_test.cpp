// Commands that were only timed together: what they tell about devices, and what they don't about
// each of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/made_document.hpp"
#include "reel/analysis.hpp"
#include "reel/insights.hpp"

namespace reel {
namespace {

using test::at_us;
using test::MadeDocument;
using testing::IsEmpty;
using testing::SizeIs;

// Two kernels side by side, a barrier, one alone; a second submission later.
Trace two_submissions(MadeDocument& made) {
  const auto queue = made.queue();
  const auto a = made.kernel("a"), b = made.kernel("b");
  const test::Span call{0, 2};
  made.add({.kernel = a, .stream = queue, .call = call});
  made.add({.kernel = a, .stream = queue, .call = call});
  made.add({.kernel = b, .stream = queue, .call = call});
  made.barrier(queue, {});
  made.add({.kernel = b, .stream = queue, .run = {40, 50}, .call = call});
  made.add({.kernel = a, .stream = queue, .call = {{90, 92}}});
  made.add({.kernel = a, .stream = queue, .call = {{90, 92}}});
  made.interval(queue, 0, 3, {10, 40});
  made.interval(queue, 5, 2, {100, 120});
  return made.trace();
}

TEST(TimedTogether, KeepsTheDeviceBusyOnce) {
  MadeDocument made;
  const Trace trace = two_submissions(made);
  const analysis::Activity activity = analysis::find_activity(trace);
  EXPECT_EQ(activity.busy_ns, 60'000u);
  EXPECT_EQ(activity.sum_ns, 60'000u);
  EXPECT_EQ(activity.active_ns, 110'000u);
  EXPECT_EQ(activity.devices[0].timed, 6u);
  // The host gave the second submission late, and nothing in between has no times.
  ASSERT_THAT(activity.gaps, SizeIs(2));
  EXPECT_EQ(activity.gaps[0].cause, analysis::IdleCause::host);
  EXPECT_EQ(activity.gaps[0].before, 4u);
  EXPECT_EQ(activity.gaps[1].cause, analysis::IdleCause::launch);
  EXPECT_EQ(activity.gaps[1].after, 5u);
}

TEST(TimedTogether, IsNoTimeOfAKernel) {
  MadeDocument made;
  const Trace trace = two_submissions(made);
  const auto usages = analysis::find_kernel_usage(trace);
  ASSERT_THAT(usages, SizeIs(2));
  const auto& b = usages[0];
  EXPECT_EQ(trace.kernels()[b.kernel].name, "b");
  EXPECT_EQ(b.timed, 1u);
  EXPECT_EQ(b.total_ns, 10'000u);
  EXPECT_EQ(b.together, 1u);
  EXPECT_EQ(b.together_ns, 30'000u);
  const auto& a = usages[1];
  EXPECT_EQ(a.timed, 0u);
  EXPECT_EQ(a.total_ns, 0u);
  EXPECT_EQ(a.together, 4u);
  EXPECT_EQ(a.together_ns, 50'000u);  // each interval once
}

TEST(TimedTogether, IsOnTheCriticalPathAndNoKernels) {
  MadeDocument made;
  const analysis::LongestPath path = analyze(two_submissions(made)).path;
  ASSERT_FALSE(path.steps.empty());
  EXPECT_EQ(path.steps.back().kind, analysis::PathStep::Kind::command);
  EXPECT_EQ(path.steps.back().command, 6u);
  EXPECT_EQ(path.parts.command_ns, 20'000u);
  EXPECT_THAT(path.kernel_ns, testing::Each(0u));
}

TEST(TimedTogether, IsFoundByCommand) {
  MadeDocument made;
  const Trace trace = two_submissions(made);
  EXPECT_EQ(trace.interval_of(0), 0u);
  EXPECT_EQ(trace.interval_of(2), 0u);
  EXPECT_EQ(trace.interval_of(3), std::nullopt);
  EXPECT_EQ(trace.interval_of(4), std::nullopt);
  EXPECT_EQ(trace.interval_of(6), 1u);
  EXPECT_EQ(trace.intervals()[1].begin_ns, at_us(100));
  EXPECT_EQ(trace.intervals()[1].size_ns(), 20'000u);
  EXPECT_FALSE(trace.commands()[0].has_run_times());
}

TEST(TimedTogether, MakesThePassesOfARepetition) {
  MadeDocument made;
  const auto queue = made.queue();
  const auto a = made.kernel("a"), b = made.kernel("b");
  for (std::uint32_t i = 0; i < 4; ++i) {
    const double at = 100.0 * i;
    made.add({.kernel = a, .stream = queue, .call = {{at, at + 2}}});
    made.add({.kernel = b, .stream = queue, .call = {{at, at + 2}}});
    made.interval(queue, 2 * i, 2, {at + 10, at + 30});
  }
  const analysis::Report report = analyze(made.trace());
  ASSERT_THAT(report.passes, SizeIs(4));
  for (const analysis::Pass& pass : report.passes) {
    EXPECT_EQ(pass.busy_ns, 20'000u);
    EXPECT_EQ(pass.took_ns(), 20'000u);
  }
}

TEST(TimedTogether, IsNotWithoutTimes) {
  MadeDocument made;
  const Trace trace = two_submissions(made);
  for (const analysis::Finding& finding : find_insights(trace, analyze(trace)))
    EXPECT_THAT(finding.title, testing::Not(testing::HasSubstr("without times")));
}

}  // namespace
}  // namespace reel
