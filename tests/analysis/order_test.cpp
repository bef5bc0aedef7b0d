#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/made_document.hpp"
#include "reel/analysis.hpp"

namespace reel {
namespace {

using test::MadeDocument;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts_of(const std::vector<analysis::Dependency>& dependencies) {
  std::vector<std::string> texts;
  for (const analysis::Dependency& d : dependencies)
    texts.push_back("c" + std::to_string(d.from) + " > c" + std::to_string(d.to) + " " +
                    to_string(d.kind) + " " + std::to_string(d.bytes));
  return texts;
}

TEST(Dependencies, TellDataFromOrderByBytes) {
  MadeDocument made;
  const auto x = made.buffer(), y = made.buffer();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  made.add(
      {.kind = WorkKind::copy, .run = {2, 3}, .reads = {{x, 0, 1024}}, .writes = {{y, 0, 1024}}});
  made.add({.kind = WorkKind::fill, .run = {3, 4}, .writes = {{x}}});  // x was read by c1
  made.add(
      {.kind = WorkKind::read, .run = {4, 5}, .reads = {{y, 512, 1024}}});  // half of it written
  made.add({.kind = WorkKind::read, .run = {5, 6}, .reads = {{y, 2048, 1024}}});  // by nobody
  EXPECT_THAT(texts_of(analysis::find_dependencies(made.trace()).edges),
              ElementsAre("c0 > c1 data 1024", "c0 > c2 order 3072", "c1 > c2 order 1024",
                          "c1 > c3 data 512"));
}

TEST(Dependencies, OfTwoBuffersAreOneEdge) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer(), y = made.buffer();
  made.add({.kernel = k, .run = {1, 2}, .writes = {{x}, {y}}});
  made.add({.kernel = k, .run = {2, 3}, .reads = {{x}}, .writes = {{y}}});
  const auto found = analysis::find_dependencies(made.trace()).edges;
  EXPECT_THAT(texts_of(found), ElementsAre("c0 > c1 data 4096"));
  EXPECT_EQ(found[0].buffer, x);
}

// Bytes of several buffers must not stand under the name of one.
TEST(Dependencies, SayThroughHowManyBuffersTheyGo) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer(), y = made.buffer(), z = made.buffer();
  made.add({.kernel = k, .run = {1, 2}, .writes = {{x}, {y}, {z}}});
  made.add({.kernel = k, .run = {2, 3}, .reads = {{x, 0, 1024}, {y}, {x, 1024, 1024}, {z}}});
  made.add({.kernel = k, .run = {3, 4}, .reads = {{x, 0, 64}, {x, 64, 64}}});
  const Trace trace = made.trace();
  const auto all = analysis::find_dependencies(trace).edges;
  const auto of_one = analysis::find_dependencies_of(trace, 0);
  for (const auto& found : {all, of_one}) {
    EXPECT_THAT(texts_of(found), ElementsAre("c0 > c1 data 10240", "c0 > c2 data 128"));
    EXPECT_EQ(found[0].more_buffers, 2u);
    EXPECT_EQ(found[1].more_buffers, 0u) << "two ranges of one buffer";
  }
}

TEST(Dependencies, MissingWhereNothingOrdersTwoStreams) {
  MadeDocument made;
  const auto x = made.buffer(), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  made.add({.kind = WorkKind::read, .stream = side, .run = {2, 3}, .reads = {{x}}});
  EXPECT_THAT(texts_of(analysis::find_dependencies(made.trace()).edges),
              ElementsAre("c0 > c1 missing 4096"));
}

TEST(Dependencies, OrderedByWaitsThroughAThirdStream) {
  MadeDocument made;
  const auto x = made.buffer(), y = made.buffer(), second = made.stream(), third = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  const auto middle =
      made.add({.kind = WorkKind::fill, .stream = second, .run = {2, 3}, .writes = {{y}}});
  const auto last =
      made.add({.kind = WorkKind::read, .stream = third, .run = {4, 5}, .reads = {{x}}});
  made.order(middle, 0);
  made.order(last, middle);
  EXPECT_THAT(texts_of(analysis::find_dependencies(made.trace()).edges),
              ElementsAre("c0 > c1 order 0", "c0 > c2 data 4096", "c1 > c2 order 0"));
}

TEST(Dependencies, RedundantWhereNobodyNeedsTheWait) {
  MadeDocument made;
  const auto x = made.buffer(), y = made.buffer(), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  const auto other =
      made.add({.kind = WorkKind::fill, .stream = side, .run = {2, 3}, .writes = {{y}}});
  made.order(other, 0);
  EXPECT_THAT(texts_of(analysis::find_dependencies(made.trace()).edges),
              ElementsAre("c0 > c1 redundant 0"));
}

TEST(Dependencies, AWaitOfTheHostIsNeverRedundant) {
  MadeDocument made;
  const auto x = made.buffer(), y = made.buffer(), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  made.call("Stream::synchronize()", {1.5, 3});
  const auto other =
      made.add({.kind = WorkKind::fill, .stream = side, .run = {5, 6}, .writes = {{y}}});
  made.order(other, 0);
  EXPECT_THAT(texts_of(analysis::find_dependencies(made.trace()).edges),
              ElementsAre("c0 > c1 order 0"));
}

TEST(Dependencies, OfALaunchFollowTheEdgesOfItsGraph) {
  const auto made_with = [](bool edge) {
    MadeDocument made;
    const auto x = made.buffer();
    const auto launch = made.add({.kind = WorkKind::launch, .run = {1, 9}, .graph = 7});
    made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}, .launch = launch, .node = 0});
    made.add({.kind = WorkKind::read, .run = {2, 3}, .reads = {{x}}, .launch = launch, .node = 1});
    if (edge) made.edge(7, 0, 1, 2);
    return texts_of(analysis::find_dependencies(made.trace()).edges);
  };
  EXPECT_THAT(made_with(true), ElementsAre("c1 > c2 data 4096"));
  EXPECT_THAT(made_with(false), ElementsAre("c1 > c2 missing 4096"));
}

TEST(Dependencies, OfVeryManyStreamsThatKnowOfEachOtherComeToAnEnd) {
  MadeDocument made;
  const auto x = made.buffer();
  std::uint32_t last = made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  for (int i = 0; i < 20'000; ++i) {
    const double t = 2 + i;
    const auto next = made.add(
        {.kind = WorkKind::fill, .stream = made.stream(), .run = {t, t + 1}, .writes = {{x}}});
    made.order(next, last);
    last = next;
  }
  const Trace trace = made.trace();
  EXPECT_EQ(analysis::find_dependencies(trace).edges.size(), 20'000u);
  EXPECT_EQ(analysis::find_activity(trace).streams.size(), 20'001u);
}

TEST(LongestPath, TilesTheSpanWithoutGaps) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.call("setup", {0, 5});
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{6, 7}});
  made.add({.kernel = k, .run = {22, 30}, .call = test::Span{7, 8}});
  made.call("Stream::synchronize()", {9, 32});
  made.add({.kernel = k, .run = {45, 50}, .call = test::Span{40, 41}});
  made.call("Stream::synchronize()", {42, 55});
  const Trace trace = made.trace();
  const analysis::Activity activity = analysis::find_activity(trace);
  const analysis::LongestPath path = analysis::find_longest_path(trace, activity);
  std::uint64_t at = activity.begin_ns;
  for (const analysis::PathStep& step : path.steps) {
    EXPECT_EQ(step.begin_ns, at);
    at = step.end_ns;
  }
  EXPECT_EQ(at, activity.end_ns);
  EXPECT_EQ(path.parts.command_ns, 23'000u);
  EXPECT_EQ(path.parts.sum_ns(), 40'000u);
  EXPECT_EQ(path.kernel_ns[k], 23'000u);
}

// The parts are of the same time as busy shares: without what came before and after.
TEST(LongestPath, TellsWaitingForABusyDeviceFromWaitingForAnIdleOne) {
  MadeDocument made;
  const auto k = made.kernel("k"), side = made.stream();
  made.call("setup", {0, 100});
  made.add({.kernel = k, .run = {110, 120}, .call = test::Span{101, 102}});
  made.add({.kernel = k, .stream = side, .run = {120, 150}, .call = test::Span{102, 103}});
  made.overhead({152, 155});
  made.add({.kernel = k, .run = {160, 170}, .call = test::Span{103, 104}});
  made.call("Stream::synchronize()", {105, 400});
  const Trace trace = made.trace();
  const analysis::LongestPath path =
      analysis::find_longest_path(trace, analysis::find_activity(trace));
  EXPECT_EQ(path.parts.command_ns, 20'000u);
  EXPECT_EQ(path.parts.behind_ns, 30'000u);
  EXPECT_EQ(path.parts.delay_ns, 7'000u);
  EXPECT_EQ(path.parts.capture_ns, 3'000u);
  EXPECT_EQ(path.parts.host_ns, 0u);
  EXPECT_EQ(path.parts.sum_ns(), 60'000u);
}

// Some devices run a command in the call that gives it.
TEST(LongestPath, FollowsCommandsThatRanInTheCallsThatGaveThem) {
  MadeDocument made;
  const auto k = made.kernel("k");
  const auto first = made.kernel("first");  // is built in its call
  made.add({.kernel = first, .run = {5, 10}, .call = test::Span{5, 6}});
  made.add({.kernel = first, .run = {80, 90}, .call = test::Span{11, 95}});
  for (int i = 1; i < 5; ++i) {
    const double t = 100 * i;
    made.add({.kernel = k, .run = {t + 2, t + 92}, .call = test::Span{t, t + 94}});
  }
  const Trace trace = made.trace();
  const analysis::LongestPath path =
      analysis::find_longest_path(trace, analysis::find_activity(trace));
  EXPECT_EQ(path.parts.command_ns, 370'000u) << "and of the one before them it knows no reason";
  EXPECT_EQ(path.kernel_ns[k], 360'000u);
  EXPECT_EQ(path.parts.sum_ns(), 487'000u);
  ASSERT_FALSE(path.halved.empty()) << "the host gives the next one sooner";
  EXPECT_EQ(path.halved[0].span_ns, path.span_ns - 180'000);
}

// The host would have gone on without it.
TEST(LongestPath, LeavesOutWhatRanWhileACallTookLong) {
  MadeDocument made;
  const auto k = made.kernel("k");
  for (int i = 0; i < 4; ++i) {
    const double t = 100 * i;
    made.add({.kernel = k, .run = {t + 40, t + 60}, .call = test::Span{t, t + 95}});
  }
  const Trace trace = made.trace();
  EXPECT_EQ(analysis::find_longest_path(trace, analysis::find_activity(trace)).parts.command_ns,
            20'000u)
      << "the last one alone";
}

// A device is not busy with a host call, so the path has no commands there either.
TEST(LongestPath, CountsAHostCallAsWorkOfTheHost) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  made.add({.kind = WorkKind::host_call, .run = {20, 50}, .call = test::Span{2, 3}});
  made.add({.kernel = k, .run = {50, 60}, .call = test::Span{3, 4}});
  const Trace trace = made.trace();
  const analysis::Activity activity = analysis::find_activity(trace);
  const analysis::PathParts parts = analysis::find_longest_path(trace, activity).parts;
  EXPECT_EQ(parts.command_ns, activity.busy_ns);
  EXPECT_EQ(parts.host_ns, 30'000u);
}

// What has no call was enqueued nobody knows when: not at the beginning of time.
TEST(LongestPath, KnowsNoWaitOfACommandWithoutACall) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {100, 110}, .call = test::Span{0, 0}});
  made.call("Stream::synchronize()", {105, 111});
  const Trace trace = made.trace();
  const analysis::Activity activity = analysis::find_activity(trace);
  for (const analysis::PathStep& step : analysis::find_longest_path(trace, activity).steps) {
    EXPECT_GE(step.begin_ns, activity.begin_ns);
    EXPECT_LE(step.end_ns - step.begin_ns, 10'000u);
  }
}

TEST(LongestPath, GoesThroughTheStreamThatWasWaitedFor) {
  MadeDocument made;
  const auto slow = made.kernel("slow"), quick = made.kernel("quick"), side = made.stream();
  made.add({.kernel = quick, .run = {10, 12}, .call = test::Span{0, 1}});
  const auto long_one =
      made.add({.kernel = slow, .stream = side, .run = {10, 50}, .call = test::Span{1, 2}});
  const auto last = made.add({.kernel = quick, .run = {51, 53}, .call = test::Span{2, 3}});
  made.order(last, long_one);
  const Trace trace = made.trace();
  const analysis::LongestPath path =
      analysis::find_longest_path(trace, analysis::find_activity(trace));
  EXPECT_EQ(path.kernel_ns[slow], 40'000u);
  EXPECT_EQ(path.kernel_ns[quick], 2'000u);
  ASSERT_FALSE(path.halved.empty());
  EXPECT_EQ(path.halved[0].kernel, slow);
  EXPECT_EQ(path.halved[0].span_ns, path.span_ns - 20'000);
}

TEST(LongestPath, AFasterKernelLetsTheHostGoOnSooner) {
  MadeDocument made;
  const auto k = made.kernel("k"), other = made.kernel("other");
  made.add({.kernel = k, .run = {10, 50}, .call = test::Span{5, 6}});
  made.call("Stream::synchronize()", {7, 51});
  made.add({.kernel = other, .run = {62, 70}, .call = test::Span{60, 61}});
  const Trace trace = made.trace();
  const analysis::LongestPath path =
      analysis::find_longest_path(trace, analysis::find_activity(trace));
  EXPECT_EQ(path.halved[0].kernel, k);
  EXPECT_EQ(path.halved[0].span_ns, path.span_ns - 20'000);
}

// A driver lets a host wait in a submission that is too far ahead: the device's time, not its own.
TEST(LongestPath, GoesThroughWhatASubmissionWaitedFor) {
  for (const bool is_held_up : {true, false}) {
    MadeDocument made;
    const auto queue = made.queue(), k = made.kernel("k");
    const auto submit = [&](test::Span run, test::Span call) {
      made.submission(queue, made.add({.kernel = k, .stream = queue, .run = run, .call = call}), 1);
    };
    submit({10, 10'000}, {1, 5});
    // It comes back when the first is done, or long after.
    submit({10'020, 10'030}, {6, is_held_up ? 10'010.0 : 30'000.0});
    submit({30'100, 30'110}, {30'050, 30'060});
    const Trace trace = made.trace();
    const analysis::LongestPath path =
        analysis::find_longest_path(trace, analysis::find_activity(trace));
    EXPECT_EQ(path.parts.command_ns > 9'000'000, is_held_up) << path.parts.command_ns;
  }
}
TEST(LongestPath, SurvivesClocksThatRunBackwards) {
  MadeDocument made;
  const auto k = made.kernel("k");
  for (int i = 0; i < 20; ++i)
    made.add({.kernel = k, .run = {100.0 - i, 103.0 - i}, .call = test::Span{200, 201}});
  const Trace trace = made.trace();
  const analysis::LongestPath path =
      analysis::find_longest_path(trace, analysis::find_activity(trace));
  EXPECT_LE(path.parts.command_ns, path.span_ns);
}

TEST(Repetition, FoldsLayersAndFindsPasses) {
  MadeDocument made;
  const auto a = made.kernel("a"), b = made.kernel("b"), head = made.kernel("head");
  double t = 1;
  for (int pass = 0; pass < 3; ++pass) {
    for (int layer = 0; layer < 4; ++layer)
      for (const auto k : {a, b})
        made.add({.kernel = k, .run = {t, t + 1}, .scope = "layer" + std::to_string(layer)}),
            t += 2;
    made.add({.kernel = head, .run = {t, t + 1}}), t += 2;
  }
  const analysis::Report report = analyze(made.trace());
  ASSERT_EQ(report.repetitions.size(), 3u);
  EXPECT_EQ(report.repetitions[0].period, 2u);
  EXPECT_EQ(report.repetitions[0].count, 4u);
  ASSERT_EQ(report.passes.size(), 3u);
  EXPECT_EQ(report.passes[1].first, 9u);
  EXPECT_EQ(report.passes[1].end, 18u);
}

TEST(Repetition, TakesTheProgramsOwnMarks) {
  MadeDocument made;
  const auto k = made.kernel("k");
  for (int i = 0; i < 6; ++i) made.add({.kernel = k, .run = {10.0 * i + 2, 10.0 * i + 3}});
  made.pass({0, 28});
  made.pass({29, 58});
  const analysis::Report report = analyze(made.trace());
  ASSERT_EQ(report.passes.size(), 2u);
  EXPECT_EQ(report.passes[0].end, 3u);
  EXPECT_EQ(report.passes[1].end, 6u);
}

TEST(Memory, KnowsThePeakAndWhoWasAlive) {
  MadeDocument made;
  const auto k = made.kernel("k");
  const auto weights = made.buffer({.size = 1000});
  const auto early = made.buffer({.size = 300, .allocated = 5, .freed = 20});
  const auto late = made.buffer({.size = 500, .allocated = 15});
  made.add({.kernel = k,
            .run = {10, 12},
            .call = test::Span{1, 2},
            .reads = {{weights}},
            .writes = {{early}}});
  made.add({.kernel = k,
            .run = {30, 40},
            .call = test::Span{2, 3},
            .reads = {{weights}},
            .writes = {{late}}});
  const analysis::Report report = analyze(made.trace());
  EXPECT_EQ(report.memory.peak_bytes, 1800u);
  EXPECT_EQ(report.memory.peak_ns, test::at_us(15));
  EXPECT_EQ(report.memory.needed_at_peak_bytes, 1000u);
  EXPECT_TRUE(report.memory.buffers[early].at_peak);
  EXPECT_EQ(report.memory.buffers[weights].peak_use, analysis::PeakUse::needed);
  EXPECT_EQ(report.memory.buffers[early].peak_use, analysis::PeakUse::no_longer);
  EXPECT_EQ(report.memory.buffers[late].peak_use, analysis::PeakUse::not_yet);
  EXPECT_FALSE(report.memory.buffers[early].outlives);
  EXPECT_TRUE(report.memory.buffers[late].outlives);
  EXPECT_EQ(report.memory.buffers[weights].reads, 2u);
  EXPECT_EQ(report.memory.curve.back().bytes, 1500u);
}

TEST(Memory, WhatIsFreedAndAllocatedAtOnceWasNotAliveAtOnce) {
  MadeDocument made;
  made.buffer({.size = 1000, .allocated = 5, .freed = 20});
  made.buffer({.size = 1000, .allocated = 20});
  made.add({.kernel = made.kernel("k"), .run = {10, 30}, .call = test::Span{1, 2}});
  EXPECT_EQ(analyze(made.trace()).memory.peak_bytes, 1000u);
}

TEST(KernelUsage, CountsBytesThatAreReadAndWrittenTwice) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer({.size = 8000}), y = made.buffer({.size = 1000});
  made.add({.kernel = k, .run = {1, 2}, .reads = {{y}}, .changes = {{x}}});
  EXPECT_EQ(analysis::find_kernel_usage(made.trace())[0].bound_bytes, 17'000u);
}

TEST(KernelUsage, CountsWhatHasNoTimesButDoesNotTimeIt) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer({.size = 8000});
  made.add({.kernel = k, .run = {1, 2}, .reads = {{x}}});
  made.add({.kernel = k, .run = {3, 6}, .reads = {{x}}, .groups = 2});
  made.add({.kernel = k, .call = test::Span{7, 8}});
  const auto usage = analysis::find_kernel_usage(made.trace());
  EXPECT_EQ(usage[0].count, 3u);
  EXPECT_EQ(usage[0].timed, 2u);
  EXPECT_EQ(usage[0].total_ns, 4000u);
  EXPECT_EQ(usage[0].min_ns, 1000u);
  EXPECT_EQ(usage[0].max_ns, 3000u);
  EXPECT_EQ(usage[0].shapes, 2u);
  EXPECT_DOUBLE_EQ(usage[0].bandwidth(), 4.0);
}

}  // namespace
}  // namespace reel
