#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "analysis/made_document.hpp"
#include "reel/analysis.hpp"

namespace reel {
namespace {

using test::MadeDocument;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

using enum analysis::IdleCause;

// Each part of idle time: its cause, and how many us it took.
std::vector<std::pair<analysis::IdleCause, double>> causes_of(const analysis::Activity& activity) {
  std::vector<std::pair<analysis::IdleCause, double>> causes;
  for (const analysis::Gap& gap : activity.gaps)
    causes.emplace_back(gap.cause, static_cast<double>(gap.size_ns()) / 1000);
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
  EXPECT_THAT(causes_of(activity), ElementsAre(Pair(host, 28), Pair(launch, 2)));
  EXPECT_EQ(activity.idle_ns[0], 28'000u);
  EXPECT_EQ(activity.idle_periods, 1u);
}

TEST(Activity, TellsAWaitThatReturnedLateFromWhatTheHostDidThen) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}});
  made.call("Stream::synchronize()", {11, 21});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{48, 49}});
  const Trace trace = made.trace();
  const analysis::Activity activity = analysis::find_activity(trace);
  // Once it was released, what the host does is its own.
  ASSERT_THAT(causes_of(activity), ElementsAre(Pair(wakeup, 1), Pair(host, 27), Pair(launch, 2)));
  EXPECT_EQ(trace.text(trace.calls()[activity.gaps[0].call].name), "Stream::synchronize()");
  EXPECT_EQ(activity.gaps[1].call, no_index);
  EXPECT_EQ(trace.text(trace.calls()[activity.gaps[1].after_wait].name), "Stream::synchronize()");
  EXPECT_EQ(activity.gaps[2].after_wait, no_index);
}

TEST(Activity, BlamesABlockingRead) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer();
  made.add({.kernel = k, .run = {10, 20}});
  made.add({.kind = WorkKind::read, .run = {20, 22}, .call = test::Span{12, 23}, .reads = {{x}}});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{48, 49}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())),
              ElementsAre(Pair(wakeup, 1), Pair(host, 25), Pair(launch, 2)));
}

TEST(Activity, DoesNotBlameTheWakeUpForAHostCallThatWasWaitedFor) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  made.add({.kind = WorkKind::host_call, .run = {20, 40}, .call = test::Span{3, 4}});
  made.call("Stream::synchronize()", {5, 43});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{45, 46}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())),
              ElementsAre(Pair(sync, 20), Pair(wakeup, 3), Pair(host, 2), Pair(launch, 5)));
}

TEST(Activity, BlamesTheCopyThatACallMakesBeforeItHandsOverABuffer) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer();
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  made.add({.kind = WorkKind::write, .run = {50, 60}, .call = test::Span{22, 48}, .writes = {{x}}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())),
              ElementsAre(Pair(host, 2), Pair(transfer, 26), Pair(launch, 2)));
}

TEST(Activity, SaysUnknownWhereTheClocksContradictEachOther) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  made.add({.kernel = k, .run = {30, 40}, .call = test::Span{50, 51}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())), ElementsAre(Pair(unknown, 10)));
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
              ElementsAre(Pair(host, 2), Pair(build, 23), Pair(host, 3), Pair(launch, 2),
                          Pair(host, 2), Pair(allocation, 33), Pair(host, 3), Pair(launch, 2)));
}

TEST(Activity, BlamesTheLaunchWhereTheCommandHadBeenGiven) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  made.add({.kernel = k, .run = {25, 30}, .call = test::Span{3, 4}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())), ElementsAre(Pair(launch, 5)));
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
              ElementsAre(Pair(dependency, 20), Pair(launch, 1)));
}

TEST(Activity, BlamesCaptureForItsOwnTime) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}});
  made.overhead({21, 45});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{48, 49}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())),
              ElementsAre(Pair(host, 1), Pair(capture, 24), Pair(host, 3), Pair(launch, 2)));
}

TEST(Activity, SaysUnknownWhereACommandWithoutTimesMayHaveRun) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}});
  made.add({.kernel = k, .call = test::Span{12, 13}});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{48, 49}});
  EXPECT_THAT(causes_of(analysis::find_activity(made.trace())), ElementsAre(Pair(unknown, 30)));
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

// Whatever a program did, parts of idle periods follow each other without a hole, busy and idle
// time make up all of it, and what recording took is recording's to the nanosecond.
TEST(Activity, OfAnyProgramAddsUpExactly) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const auto any = [&](double most) {
      return std::uniform_real_distribution<double>(0, most)(random);
    };
    MadeDocument made;
    const auto k = made.kernel("k"), x = made.buffer();
    const std::uint32_t streams[] = {0, made.stream(), made.stream(made.device())};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> recording;
    constexpr const char* names[] = {"Stream::synchronize()", "clBuildProgram", "clCreateBuffer",
                                     "Buffer::write()", "think"};
    double now = 10;
    for (int i = 0; i < 60; ++i) {
      if (any(1) < 0.5) made.call(names[random() % 5], {now, now + any(30)}, 1 + random() % 2);
      if (any(1) < 0.3) {
        const double begin = now + any(20), end = begin + any(15);
        made.overhead({begin, end});
        recording.emplace_back(test::at_us(begin), test::at_us(end));
      }
      constexpr WorkKind kinds[] = {WorkKind::dispatch, WorkKind::read, WorkKind::write,
                                    WorkKind::host_call, WorkKind::fill};
      const WorkKind kind = kinds[random() % 5];
      const std::vector<test::MadeRange> ranges{{x}};
      const bool is_read = kind == WorkKind::read || kind == WorkKind::dispatch,
                 is_written = kind == WorkKind::write || kind == WorkKind::fill;
      const double start = now + any(40) - 3;
      const test::Span run = any(1) < 0.1
                                 ? test::Span{}
                                 : test::Span{start, start + any(12) - (any(1) < 0.05 ? 5 : 0)};
      const auto c = made.add({.kind = kind,
                               .kernel = kind == WorkKind::dispatch ? k : no_index,
                               .stream = streams[random() % 3],
                               .run = run,
                               .call = test::Span{now, now + any(5)},
                               .reads = is_read ? ranges : std::vector<test::MadeRange>{},
                               .writes = is_written ? ranges : std::vector<test::MadeRange>{},
                               .thread = static_cast<std::uint32_t>(1 + random() % 2)});
      if (c > 2 && any(1) < 0.2) made.order(c, c - 1 - random() % 2);
      now += any(30);
    }
    const analysis::Activity activity = analysis::find_activity(made.trace());
    std::uint64_t idle = 0, captured = 0, expected = 0;
    for (const std::uint64_t ns : activity.idle_ns) idle += ns;
    EXPECT_EQ(activity.busy_ns + idle, activity.active_ns) << "seed " << seed;
    for (std::size_t i = 0; i < activity.gaps.size(); ++i) {
      const analysis::Gap& gap = activity.gaps[i];
      ASSERT_LT(gap.begin_ns, gap.end_ns) << "seed " << seed;
      if (i > 0 && activity.gaps[i - 1].period == gap.period) {
        EXPECT_EQ(activity.gaps[i - 1].end_ns, gap.begin_ns) << "seed " << seed;
      }
      if (gap.cause == capture) captured += gap.size_ns();
      std::ranges::sort(recording);
      std::uint64_t until = gap.begin_ns;
      for (const auto& [begin, end] : recording) {
        const std::uint64_t from = std::max(begin, until), to = std::min(end, gap.end_ns);
        if (to > from) expected += to - from, until = to;
      }
    }
    EXPECT_EQ(captured, expected) << "seed " << seed;
  }
}

// The device itself runs a native kernel of OpenCL; a host call only holds up its stream.
TEST(Activity, ANativeKernelIsWorkOfItsDevice) {
  for (const bool is_native : {true, false}) {
    MadeDocument made;
    const auto k = made.kernel("k");
    made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
    made.add({.kind = WorkKind::host_call,
              .run = {20, 50},
              .call = test::Span{2, 3},
              .label = is_native ? "clEnqueueNativeKernel" : "look"});
    made.add({.kernel = k, .run = {50, 60}, .call = test::Span{3, 4}});
    const analysis::Activity activity = analysis::find_activity(made.trace());
    EXPECT_EQ(activity.busy_ns, is_native ? 50'000u : 20'000u);
    EXPECT_EQ(activity.sum_ns, is_native ? 50'000u : 20'000u);
    EXPECT_EQ(activity.idle_ns[static_cast<std::size_t>(analysis::IdleCause::dependency)],
              is_native ? 0u : 30'000u);
    EXPECT_EQ(activity.copy_ns, 0u);
  }
}

TEST(Activity, VerdictsFollowTheLargestPart) {
  const auto verdict = [](double gap, double returned, WorkKind kind) {
    MadeDocument made;
    const auto k = made.kernel("k"), x = made.buffer();
    double t = 10;
    for (int i = 0; i < 10; ++i, t += 10 + gap) {
      made.add({.kind = kind,
                .kernel = kind == WorkKind::dispatch ? k : no_index,
                .run = {t, t + 10},
                .call = test::Span{t - 0.5, t},
                .writes = {{x}}});
      if (returned > 0) made.call("clFinish", {t + 1, t + returned});
    }
    return analysis::find_verdict(analysis::find_activity(made.trace()));
  };
  EXPECT_EQ(verdict(0, 0, WorkKind::dispatch), analysis::Bottleneck::device);
  EXPECT_EQ(verdict(0, 0, WorkKind::fill), analysis::Bottleneck::copies);
  EXPECT_EQ(verdict(50, 0, WorkKind::dispatch), analysis::Bottleneck::host);
  EXPECT_EQ(verdict(50, 55, WorkKind::dispatch), analysis::Bottleneck::waits);
  // What the host does after it was released is its own.
  EXPECT_EQ(verdict(50, 10.1, WorkKind::dispatch), analysis::Bottleneck::host);
}

}  // namespace
}  // namespace reel
