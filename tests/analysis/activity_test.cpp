#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/made_document.hpp"
#include "reel/analysis.hpp"

namespace reel {
namespace {

using test::MadeDocument;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<analysis::IdleCause> causes_of(const analysis::Activity& activity) {
  std::vector<analysis::IdleCause> causes;
  for (const analysis::Gap& gap : activity.gaps) causes.push_back(gap.cause);
  return causes;
}

TEST(Activity, IsNothingForADocumentOfNothing) {
  MadeDocument made;
  const analysis::Report report = analyze(made.trace());
  EXPECT_EQ(report.activity.span_ns(), 0u);
  EXPECT_EQ(report.verdict, analysis::Bottleneck::unknown);
  EXPECT_THAT(report.dependencies, IsEmpty());
  EXPECT_THAT(report.path.steps, IsEmpty());
  EXPECT_EQ(report.memory.peak_bytes, 0u);
}

TEST(Activity, CountsOverlappingCommandsOnce) {
  MadeDocument made;
  const auto k = made.kernel("k"), side = made.stream();
  made.add({.kernel = k, .run = {10, 20}});
  made.add({.kernel = k, .stream = side, .run = {15, 30}});
  made.add({.kernel = k, .run = {21, 25}});
  const analysis::Activity activity = analysis::find_activity(made.trace());
  EXPECT_EQ(activity.devices[0].busy_ns, 20'000u);
  EXPECT_EQ(activity.devices[0].sum_ns, 29'000u);
  EXPECT_EQ(activity.streams[0].busy_ns, 14'000u);
  EXPECT_EQ(activity.streams[side].busy_ns, 15'000u);
  EXPECT_THAT(activity.gaps, IsEmpty());
  EXPECT_EQ(activity.begin_ns, test::at_us(9));
}

TEST(Activity, TakesALaunchAsItsNodes) {
  MadeDocument made;
  const auto k = made.kernel("k");
  const auto launch = made.add({.kind = WorkKind::launch, .run = {10, 30}, .graph = 0});
  made.add({.kernel = k, .run = {10, 18}, .launch = launch, .node = 0});
  made.add({.kernel = k, .run = {20, 30}, .launch = launch, .node = 1});
  const Trace trace = made.trace();
  const analysis::Activity activity = analysis::find_activity(trace);
  EXPECT_EQ(activity.devices[0].busy_ns, 18'000u);
  EXPECT_EQ(activity.sum_ns, 18'000u);
  EXPECT_THAT(analysis::own_run_ns(trace), ElementsAre(0, 8000, 10000));
}

TEST(Activity, BlamesTheHostThatHadGivenNothing) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{48, 49}});
  const analysis::Activity activity = analysis::find_activity(made.trace());
  ASSERT_THAT(causes_of(activity), ElementsAre(analysis::IdleCause::host));
  EXPECT_EQ(activity.gaps[0].size_ns(), 30'000u);
  EXPECT_EQ(activity.idle_ns[0], 30'000u);
}

TEST(Activity, BlamesAWaitThatEndedWithTheDevice) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}});
  made.call("Stream::synchronize()", {11, 21});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{48, 49}});
  const Trace trace = made.trace();
  const analysis::Activity activity = analysis::find_activity(trace);
  ASSERT_THAT(causes_of(activity), ElementsAre(analysis::IdleCause::sync));
  EXPECT_EQ(trace.text(trace.calls()[activity.gaps[0].call].name), "Stream::synchronize()");
}

TEST(Activity, BlamesABlockingRead) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer();
  made.add({.kernel = k, .run = {10, 20}});
  made.add({.kind = WorkKind::read, .run = {20, 22}, .call = test::Span{12, 23}, .reads = {{x}}});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{48, 49}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())),
              ElementsAre(analysis::IdleCause::sync));
}

TEST(Activity, BlamesBuildsAndAllocations) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}});
  made.call("Device::kernel()", {22, 45});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{48, 49}});
  made.call("clCreateBuffer", {62, 95});
  made.add({.kernel = k, .run = {100, 110}, .call = test::Span{98, 99}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())),
              ElementsAre(analysis::IdleCause::build, analysis::IdleCause::allocation));
}

TEST(Activity, BlamesTheLaunchWhereTheCommandHadBeenGiven) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  made.add({.kernel = k, .run = {25, 30}, .call = test::Span{3, 4}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())),
              ElementsAre(analysis::IdleCause::launch));
}

TEST(Activity, BlamesWhatTheNextCommandWaitedFor) {
  MadeDocument made;
  const auto k = made.kernel("k");
  const auto far = made.stream(made.device());
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  const auto slow =
      made.add({.kernel = k, .stream = far, .run = {10, 40}, .call = test::Span{3, 4}});
  const auto next = made.add({.kernel = k, .run = {41, 50}, .call = test::Span{5, 6}});
  made.order(next, slow);
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())),
              ElementsAre(analysis::IdleCause::dependency));
}

TEST(Activity, BlamesCaptureForItsOwnTime) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}});
  made.overhead({21, 45});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{48, 49}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())),
              ElementsAre(analysis::IdleCause::capture));
}

TEST(Activity, SaysUnknownWhereACommandWithoutTimesMayHaveRun) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}});
  made.add({.kernel = k, .call = test::Span{12, 13}});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{48, 49}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())),
              ElementsAre(analysis::IdleCause::unknown));
}

TEST(Activity, LeavesOutCommandsThatEndBeforeTheyStart) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}});
  made.add({.kernel = k, .run = {40, 30}});
  const analysis::Activity activity = analysis::find_activity(made.trace());
  EXPECT_EQ(activity.devices[0].busy_ns, 10'000u);
  EXPECT_EQ(activity.devices[0].timed, 1u);
}

TEST(Activity, VerdictsFollowTheLargestPart) {
  const auto verdict = [](double gap, const char* wait, WorkKind kind) {
    MadeDocument made;
    const auto k = made.kernel("k"), x = made.buffer();
    double t = 10;
    for (int i = 0; i < 10; ++i, t += 10 + gap) {
      made.add({.kind = kind,
                .kernel = kind == WorkKind::dispatch ? k : no_index,
                .run = {t, t + 10},
                .call = test::Span{t - 0.5, t},
                .writes = {{x}}});
      if (*wait) made.call(wait, {t + 1, t + 10.1});
    }
    return analysis::find_verdict(analysis::find_activity(made.trace()));
  };
  EXPECT_EQ(verdict(0, "", WorkKind::dispatch), analysis::Bottleneck::device);
  EXPECT_EQ(verdict(0, "", WorkKind::fill), analysis::Bottleneck::copies);
  EXPECT_EQ(verdict(50, "", WorkKind::dispatch), analysis::Bottleneck::host);
  EXPECT_EQ(verdict(50, "clFinish", WorkKind::dispatch), analysis::Bottleneck::waits);
}

}  // namespace
}  // namespace reel
