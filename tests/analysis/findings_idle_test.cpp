// Rules of idle time. Each rule twice: a document that has the problem, and one that only looks
// like it.
#include "analysis/found.hpp"

namespace reel {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// What the host did in a gap is known only as exactly as both clocks fit together.
TEST(IdleFindings, SayWhereTheClocksErrorIsMoreThanTheGaps) {
  for (const double error_us : {1.0, 3000.0}) {
    MadeDocument made;
    made.device_clock_error(error_us);
    add_chain(made, 20, 50, 1);
    const auto findings = findings_of(made);
    const auto idle = std::ranges::find_if(
        findings, [](const analysis::Finding& finding) { return finding.id.starts_with("idle."); });
    ASSERT_NE(idle, findings.end());
    const bool is_vague = error_us > 50;
    EXPECT_EQ(idle->title.find("Why can't be told for certain") != std::string::npos, is_vague)
        << idle->title;
    EXPECT_EQ(idle->confidence == analysis::Confidence::possible, is_vague);
  }
}

TEST(IdleHost, IsFoundWhereTheDeviceWaitedForTheHost) {
  MadeDocument made;
  add_chain(made, 20, 30, 1);
  const auto finding = find(made, "idle.host");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, analysis::Severity::warning);
  EXPECT_EQ(finding->saving_ns, 19u * 29'000);  // the last microsecond is the launch
  EXPECT_EQ(number(*finding, "gaps"), 19);
  EXPECT_EQ(finding->evidence.commands.size(), 19u);
}

TEST(IdleHost, IsNotFoundWhereTheDeviceWasBusy) {
  MadeDocument made;
  add_chain(made, 20, 0.01, 1);
  EXPECT_FALSE(find(made, "idle.host"));
}

TEST(IdleLaunch, IsFoundBetweenCommandsGivenLongBefore) {
  MadeDocument made;
  add_chain(made, 20, 5, 90);
  const auto finding = find(made, "idle.launch");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 19u * 5'000);
}

TEST(IdleLaunch, IsNotFoundWhereCommandsFollowAtOnce) {
  MadeDocument made;
  add_chain(made, 20, 0, 90);
  EXPECT_FALSE(find(made, "idle.launch"));
}

// Runs, then `calls` in the gaps, then runs.
void add_gaps_with(MadeDocument& made, const char* call, double from, double to) {
  const auto k = made.kernel("k");
  for (int i = 0; i < 5; ++i) {
    const double t = 100 + 50 * i;
    made.add({.kernel = k, .run = {t, t + 10}, .call = test::Span{t - 1, t}});
    made.call(call, {t + from, t + to});
  }
}

TEST(IdleSync, IsFoundWhereTheHostWaitsForSomethingElse) {
  MadeDocument made;
  add_gaps_with(made, "Stream::synchronize()", 15, 40);
  const auto other = made.stream(made.device()), k = made.kernel("other");
  for (int i = 0; i < 5; ++i) {
    const double t = 100 + 50 * i;
    made.add({.kernel = k, .stream = other, .run = {t + 10, t + 40}, .call = test::Span{t, t + 1}});
  }
  const auto finding = find(made, "idle.sync");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 4u * 25'000);
  EXPECT_THAT(finding->title, HasSubstr("Stream::synchronize()"));
}
// Nothing ran any more that it could have waited for: it came back late.
TEST(IdleSync, IsNotFoundWhereNothingElseRan) {
  for (const char* id : {"idle.sync", "idle.wakeup"}) {
    MadeDocument made;
    add_gaps_with(made, "Stream::synchronize()", 15, 40);
    EXPECT_EQ(find(made, id).has_value(), id == std::string_view("idle.wakeup"));
  }
  MadeDocument made;
  add_gaps_with(made, "Stream::synchronize()", 15, 40);
  const auto finding = find(made, "idle.wakeup");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 4u * 25'000);
}
TEST(IdleSync, IsNotFoundForWhatTheHostDoesAfterAWait) {
  MadeDocument made;
  add_gaps_with(made, "clFinish", 1, 11);
  EXPECT_FALSE(find(made, "idle.sync"));
}
TEST(IdleHost, SaysThatItIsTheHostsOwnTimeAfterAWait) {
  MadeDocument made;
  add_gaps_with(made, "clFinish", 1, 11);
  const auto finding = find(made, "idle.host");
  ASSERT_TRUE(finding);
  EXPECT_EQ(number(*finding, "after_waits"), number(*finding, "idle"));
  EXPECT_THAT(finding->title, HasSubstr("the host's own time after it came back from clFinish"));
  EXPECT_THAT(finding->advice, HasSubstr("before waiting"));
}
TEST(IdleSync, IsNotFoundWhereNobodyWaited) {
  MadeDocument made;
  add_gaps_with(made, "think", 1, 11);
  EXPECT_FALSE(find(made, "idle.sync"));
}
TEST(IdleWakeup, IsFoundWhereAWaitReturnsLate) {
  MadeDocument made;
  add_gaps_with(made, "Stream::synchronize()", 1, 40);
  const auto finding = find(made, "idle.wakeup");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 4u * 30'000);
}
TEST(IdleWakeup, IsNotFoundWhereItReturnsAtOnce) {
  MadeDocument made;
  add_gaps_with(made, "Stream::synchronize()", 1, 10.2);
  EXPECT_FALSE(find(made, "idle.wakeup"));
}
TEST(IdleTransfer, IsFoundWhereTheHostCopiesAndNotWhereItThinks) {
  MadeDocument copies, thinks;
  add_gaps_with(copies, "Buffer::write()", 12, 40);
  add_gaps_with(thinks, "think", 12, 40);
  EXPECT_TRUE(find(copies, "idle.transfer"));
  EXPECT_FALSE(find(thinks, "idle.transfer"));
}

TEST(Idle, NamesTheOneGapThatIsMostOfIt) {
  MadeDocument made;
  const auto k = made.kernel("k");
  double t = 10;
  for (int i = 0; i < 12; ++i) {
    made.add({.kernel = k, .run = {t, t + 10}, .call = test::Span{1, 2}});
    t += i == 6 ? 510 : 12;  // c7 starts 500 us later
  }
  const auto finding = find(made, "idle.launch");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("One gap of 500.0 µs, before c7, is 96.2% of it"));
  EXPECT_THAT(finding->title, Not(HasSubstr("in 11 gaps")));
  EXPECT_THAT(finding->advice, HasSubstr("c7"));
}

TEST(Idle, TellsOfKernelsThatAreBuiltAtTheirFirstRun) {
  for (const bool built_here : {false, true}) {
    MadeDocument made;
    if (built_here) made.call("clBuildProgram", {0.1, 0.5});
    double t = 10;
    for (int k = 0; k < 4; ++k) {
      const auto kernel = made.kernel("k" + std::to_string(k));
      t += 300;
      for (int i = 0; i < 5; ++i, t += 12)
        made.add({.kernel = kernel, .run = {t, t + 10}, .call = test::Span{1, 2}});
    }
    // Built before the capture began, a kernel may have run before it as well.
    const auto finding = find(made, built_here ? "idle.build" : "idle.launch");
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->title.find("is inferred: it is before the first run") != std::string::npos,
              built_here);
    EXPECT_EQ(finding->advice.find("once, in each group size") != std::string::npos, built_here);
    // A conclusion, not something that was seen.
    EXPECT_EQ(finding->confidence, analysis::Confidence::likely);
  }
}

// Kernels that were built before the capture began, and run first in it.
TEST(Idle, LongFirstRunsAreBuildsThoughNoneWasRecorded) {
  MadeDocument made;
  double t = 10;
  for (int k = 0; k < 4; ++k) {
    const auto kernel = made.kernel("k" + std::to_string(k));
    t += 50'000;
    for (int i = 0; i < 5; ++i, t += 12)
      made.add({.kernel = kernel, .run = {t, t + 10}, .call = test::Span{1, 2}});
  }
  const auto finding = find(made, "idle.build");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("is inferred: it is before the first run"));
  EXPECT_EQ(finding->confidence, analysis::Confidence::likely);
}

// A first launch that takes about as long as the others is none in which anything was built.
TEST(Idle, TellsOfNoBuildWhereLaterLaunchesTakeAsLong) {
  MadeDocument made, once;
  for (MadeDocument* one : {&made, &once}) {
    one->call("clBuildProgram", {0.1, 0.5});
    const auto before = one->kernel("before"), k = one->kernel("k");
    one->add({.kernel = before, .run = {10, 20}, .call = test::Span{1, 2}});
    const int runs = one == &made ? 5 : 1;  // of one run nothing can be told
    for (int i = 0; i < runs; ++i)
      one->add({.kernel = k, .run = {320 + 310.0 * i, 330 + 310.0 * i}, .call = test::Span{1, 2}});
    EXPECT_FALSE(find(*one, "idle.build"));
  }
}

TEST(Idle, CountsAPeriodOnceThoughRecordingIsInTheMiddleOfIt) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  made.overhead({50, 52});
  made.add({.kernel = k, .run = {100, 110}, .call = test::Span{3, 4}});
  made.add({.kernel = k, .run = {180, 190}, .call = test::Span{4, 5}});
  const auto finding = find(made, "idle.launch");
  ASSERT_TRUE(finding);
  EXPECT_EQ(number(*finding, "gaps"), 2);
  EXPECT_EQ(number(*finding, "longest"), 78'000);
}

TEST(Idle, AdvisesAGraphOnlyForWhatIsInNone) {
  for (const bool in_graph : {false, true}) {
    MadeDocument made;
    const auto k = made.kernel("k");
    const auto launch = made.add({.kind = WorkKind::launch, .call = test::Span{1, 2}, .graph = 0});
    for (std::uint32_t i = 0; i < 20; ++i)
      made.add({.kernel = k,
                .run = {10 + 20.0 * i, 15 + 20.0 * i},
                .call = test::Span{1, 2},
                .launch = in_graph ? launch : no_index,
                .node = in_graph ? i : no_index});
    const auto finding = find(made, "idle.launch");
    ASSERT_TRUE(finding);
    if (in_graph)
      EXPECT_THAT(finding->advice, HasSubstr("nodes of a graph already"));
    else
      EXPECT_THAT(finding->advice, HasSubstr("record the commands into a graph"));
  }
}

// A program that submits command buffers has no graphs to record into.
TEST(Idle, AdvisesSubmissionsWhereWorkIsSubmitted) {
  MadeDocument made;
  const auto k = made.kernel("k"), queue = made.queue();
  for (std::uint32_t i = 0; i < 20; ++i) {
    made.add({.kernel = k,
              .stream = queue,
              .run = {10 + 20.0 * i, 15 + 20.0 * i},
              .call = test::Span{1, 2}});
    made.submission(queue, i, 1);
  }
  const auto finding = find(made, "idle.launch");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->advice, AllOf(HasSubstr("into one submission"), Not(HasSubstr("graph"))));
}

TEST(Idle, PipelinesAreBuiltAndMemoryIsAllocated) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  made.call("vkCreateComputePipelines", {20, 60});
  made.call("vkAllocateMemory", {60, 80});
  made.add({.kernel = k, .run = {90, 100}, .call = test::Span{80, 85}});
  const auto idle = analyze(made.trace()).activity.idle_ns;
  EXPECT_EQ(idle[static_cast<std::size_t>(analysis::IdleCause::build)], 40'000u);
  EXPECT_EQ(idle[static_cast<std::size_t>(analysis::IdleCause::allocation)], 20'000u);
}

TEST(Build, IsFoundThoughItIsBeforeTheFirstCommand) {
  MadeDocument made;
  made.call("clBuildProgram", {10, 900});
  made.call("clBuildProgram", {950, 960});
  made.add({.kernel = made.kernel("k"), .run = {1000, 1100}, .call = test::Span{990, 991}});
  const auto finding = find(made, "build");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 900'000u);
  EXPECT_THAT(finding->title, HasSubstr("before the first command"));
}
TEST(Build, IsNotFoundWhereItIsATenthOrLess) {
  MadeDocument made;
  made.call("clBuildProgram", {10, 50});
  made.add({.kernel = made.kernel("k"), .run = {1000, 1100}, .call = test::Span{990, 991}});
  EXPECT_FALSE(find(made, "build"));
}

TEST(IdleBuild, IsFoundWhereKernelsAreBuilt) {
  MadeDocument made;
  add_gaps_with(made, "clBuildProgram", 12, 45);
  EXPECT_TRUE(find(made, "idle.build"));
}
TEST(IdleBuild, IsNotFoundWhereBuildingTakesNoPartOfTheGap) {
  MadeDocument made;
  add_gaps_with(made, "clBuildProgram", 12, 12.2);
  EXPECT_FALSE(find(made, "idle.build"));
}
TEST(IdleAlloc, IsFoundWhereMemoryIsAllocated) {
  MadeDocument made;
  add_gaps_with(made, "Device::buffer()", 12, 45);
  EXPECT_TRUE(find(made, "idle.alloc"));
}
TEST(IdleAlloc, IsNotFoundWhereAllocatingIsQuick) {
  MadeDocument made;
  add_gaps_with(made, "Device::buffer()", 12, 12.2);
  EXPECT_FALSE(find(made, "idle.alloc"));
}

TEST(IdleDep, IsFoundWhereAnotherDeviceIsWaitedFor) {
  MadeDocument made;
  const auto k = made.kernel("k"), far = made.stream(made.device());
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  const auto slow =
      made.add({.kernel = k, .stream = far, .run = {10, 40}, .call = test::Span{3, 4}});
  made.order(made.add({.kernel = k, .run = {41, 50}, .call = test::Span{5, 6}}), slow);
  EXPECT_TRUE(find(made, "idle.dep"));
}
TEST(IdleDep, IsNotFoundWhereItHadLongBeenDone) {
  MadeDocument made;
  const auto k = made.kernel("k"), far = made.stream(made.device());
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  const auto quick =
      made.add({.kernel = k, .stream = far, .run = {10, 12}, .call = test::Span{3, 4}});
  made.order(made.add({.kernel = k, .run = {41, 50}, .call = test::Span{5, 6}}), quick);
  EXPECT_FALSE(find(made, "idle.dep"));
}

}  // namespace
}  // namespace reel
