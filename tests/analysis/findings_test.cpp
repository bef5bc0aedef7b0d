// Each rule twice: a document that has the problem, and one that only looks like it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/made_document.hpp"
#include "reel/insights.hpp"

namespace reel {
namespace {

using test::MadeDocument;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<analysis::Finding> findings_of(MadeDocument& made) {
  const Trace trace = made.trace();
  return find_insights(trace, analyze(trace));
}

std::optional<analysis::Finding> find(MadeDocument& made, const std::string& id) {
  for (const analysis::Finding& finding : findings_of(made))
    if (finding.id == id) return finding;
  return std::nullopt;
}

double number(const analysis::Finding& finding, const std::string& name) {
  for (const analysis::Number& n : finding.numbers)
    if (n.name == name) return n.value;
  ADD_FAILURE() << finding.id << " has no number " << name;
  return 0;
}

// Kernels of 10 µs, `gap` us apart; each given `ahead` us before it starts.
void add_chain(MadeDocument& made, int count, double gap, double ahead, double run = 10) {
  const auto k = made.kernel("k");
  for (int i = 0; i < count; ++i) {
    const double t = 100 + i * (run + gap);
    made.add({.kernel = k, .run = {t, t + run}, .call = test::Span{t - ahead, t - ahead + 0.1}});
  }
}

TEST(Findings, OfAnEmptyDocumentSayThatNothingRan) {
  MadeDocument made;
  const auto findings = findings_of(made);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].id, "verdict");
  EXPECT_THAT(findings[0].title, HasSubstr("No command ran"));
}

TEST(Findings, WithoutTimesSayNothingOfSpeed) {
  MadeDocument made;
  const auto k = made.kernel("k");
  for (int i = 0; i < 40; ++i)
    made.add({.kernel = k, .call = test::Span{10.0 * i + 1, 10.0 * i + 2}});
  for (const analysis::Finding& finding : findings_of(made)) {
    EXPECT_THAT((std::vector<std::string>{"verdict", "capture"}), Contains(finding.id));
    EXPECT_FALSE(finding.saving_ns);
  }
}

TEST(Findings, StartWithTheVerdictAndGoOnBySaving) {
  MadeDocument made;
  add_chain(made, 20, 30, 1);
  const auto findings = findings_of(made);
  EXPECT_EQ(findings[0].id, "verdict");
  EXPECT_THAT(findings[0].title, HasSubstr("Host-bound"));
  for (std::size_t i = 2; i < findings.size(); ++i)
    EXPECT_GE(findings[i - 1].saving_ns.value_or(0), findings[i].saving_ns.value_or(0));
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
  const auto finding = find(made, "idle.sync");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 4u * 25'000);
  EXPECT_THAT(finding->title, HasSubstr("Stream::synchronize()"));
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
  MadeDocument made;
  double t = 10;
  for (int k = 0; k < 4; ++k) {
    const auto kernel = made.kernel("k" + std::to_string(k));
    t += 300;
    for (int i = 0; i < 5; ++i, t += 12)
      made.add({.kernel = kernel, .run = {t, t + 10}, .call = test::Span{1, 2}});
  }
  const auto finding = find(made, "idle.launch");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("before the first run of a kernel"));
  EXPECT_THAT(finding->advice, HasSubstr("once before"));
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

void add_launches(MadeDocument& made, double run, double call, std::uint32_t launch = no_index) {
  const auto k = made.kernel("k");
  for (int i = 0; i < 20; ++i) {
    const double t = 10 + 100 * i;
    made.add({.kernel = k,
              .run = {t + call, t + call + run},
              .call = test::Span{t, t + call},
              .launch = launch,
              .node = launch == no_index ? no_index : static_cast<std::uint32_t>(i)});
  }
}

TEST(LaunchBound, IsFoundWhereCallsTakeLongerThanKernels) {
  MadeDocument made;
  add_launches(made, 2, 30);
  const auto finding = find(made, "launch.bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 20u * 28'000);
}
TEST(LaunchBound, IsNotFoundWhereKernelsTakeLonger) {
  MadeDocument made;
  add_launches(made, 30, 2);
  EXPECT_FALSE(find(made, "launch.bound"));
}
TEST(LaunchBound, IsNotFoundInAGraphWhichIsOneCall) {
  MadeDocument made;
  const auto launch =
      made.add({.kind = WorkKind::launch, .run = {1, 2000}, .call = test::Span{0, 1}, .graph = 0});
  add_launches(made, 2, 30, launch);
  EXPECT_FALSE(find(made, "launch.bound"));
}

TEST(LaunchShape, IsFoundWhereUnitsGetNothing) {
  MadeDocument made(16);
  made.add({.kernel = made.kernel("k"), .run = {10, 500}, .groups = 4});
  const auto finding = find(made, "launch.shape");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("4 groups on a device of 16 units"));
}
TEST(LaunchShape, IsFoundForGroupsOfOneItem) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .run = {10, 500}, .groups = 1000, .group_size = 1});
  EXPECT_TRUE(find(made, "launch.shape"));
}
TEST(LaunchShape, IsNotFoundForOneGroupThatTakesNoTime) {
  MadeDocument made(16);
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 500}, .groups = 64});
  made.add({.kernel = k, .run = {500, 501}, .groups = 1});
  EXPECT_FALSE(find(made, "launch.shape"));
}

void add_tiny_chain(MadeDocument& made, double run, bool two_readers) {
  const auto k = made.kernel("k"), end = made.buffer();
  std::vector<std::uint32_t> buffers;
  for (int i = 0; i < 5; ++i) buffers.push_back(made.buffer());
  for (int i = 0; i < 4; ++i) {
    const double t = 10 + i * (run + 3);
    made.add({.kernel = k,
              .run = {t, t + run},
              .call = test::Span{t - 8, t - 2},
              .reads = {{buffers[static_cast<std::size_t>(i)]}},
              .writes = {{buffers[static_cast<std::size_t>(i) + 1]}}});
  }
  if (two_readers)
    for (int i = 1; i < 5; ++i)
      made.add({.kernel = k,
                .run = {1000.0 + 20 * i, 1010.0 + 20 * i},
                .reads = {{buffers[static_cast<std::size_t>(i)]}},
                .writes = {{end}}});
}

TEST(FuseTiny, IsFoundForARunThatPassesResultsOn) {
  MadeDocument made;
  add_tiny_chain(made, 2, false);
  const auto finding = find(made, "fuse.tiny");
  ASSERT_TRUE(finding);
  EXPECT_EQ(number(*finding, "kernels"), 4);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(0, 1, 2, 3));
}
TEST(FuseTiny, IsNotFoundForLargeKernels) {
  MadeDocument made;
  add_tiny_chain(made, 200, false);
  EXPECT_FALSE(find(made, "fuse.tiny"));
}
TEST(FuseTiny, IsNotFoundWhereOthersReadTheResultsToo) {
  MadeDocument made;
  add_tiny_chain(made, 2, true);
  EXPECT_FALSE(find(made, "fuse.tiny"));
}

TEST(BarrierRedundant, IsFoundForAWaitThatNobodyNeeds) {
  MadeDocument made;
  const auto x = made.buffer(), y = made.buffer(), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  made.order(made.add({.kind = WorkKind::fill, .stream = side, .run = {2, 3}, .writes = {{y}}}), 0);
  const auto finding = find(made, "barrier.redundant");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(1));
}
TEST(BarrierRedundant, IsFoundForABarrierThatNothingCrosses) {
  MadeDocument made;
  const auto x = made.buffer(), y = made.buffer();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  made.add({.kind = WorkKind::barrier, .call = test::Span{2, 2.1}});
  made.add({.kind = WorkKind::fill, .run = {2, 3}, .writes = {{y}}});
  const auto finding = find(made, "barrier.redundant");
  ASSERT_TRUE(finding);
  EXPECT_EQ(number(*finding, "barriers"), 1);
}
TEST(BarrierRedundant, IsNotFoundWhereDataCrosses) {
  MadeDocument made;
  const auto x = made.buffer(), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  made.add({.kind = WorkKind::barrier, .call = test::Span{2, 2.1}});
  made.add({.kind = WorkKind::read, .run = {2, 3}, .reads = {{x}}});
  made.order(made.add({.kind = WorkKind::read, .stream = side, .run = {4, 5}, .reads = {{x}}}), 0);
  EXPECT_FALSE(find(made, "barrier.redundant"));
}

TEST(RaceRule, NamesBothCommandsAndTheBuffer) {
  MadeDocument made;
  const auto x = made.buffer({.label = "shared"}), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  made.add({.kind = WorkKind::read, .stream = side, .run = {2, 3}, .reads = {{x}}});
  const auto finding = find(made, "race");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, analysis::Severity::error);
  EXPECT_THAT(finding->title, HasSubstr("'shared'"));
  EXPECT_THAT(finding->evidence.commands, ElementsAre(0, 1));
}
TEST(RaceRule, IsNotFoundForOtherBytesOfTheSameBuffer) {
  MadeDocument made;
  const auto x = made.buffer(), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x, 0, 2048}}});
  made.add({.kind = WorkKind::read, .stream = side, .run = {2, 3}, .reads = {{x, 2048, 2048}}});
  EXPECT_FALSE(find(made, "race"));
}

void add_work_on(MadeDocument& made, bool dependent) {
  const auto k = made.kernel("k"), shared = made.buffer();
  for (int i = 0; i < 12; ++i) {
    const auto own = dependent ? shared : made.buffer();
    made.add({.kernel = k,
              .run = {100.0 + 10 * i, 110.0 + 10 * i},
              .call = test::Span{i * 0.1, i * 0.1 + 0.1},
              .reads = {{own}},
              .writes = {{own}}});
  }
}
TEST(OverlapLost, IsFoundForIndependentWorkInOneStream) {
  MadeDocument made;
  add_work_on(made, false);
  const auto finding = find(made, "overlap.lost");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 110'000u);
}
TEST(OverlapLost, IsNotFoundForAChain) {
  MadeDocument made;
  add_work_on(made, true);
  EXPECT_FALSE(find(made, "overlap.lost"));
}

const std::vector<float> ones(1024, 1.0f), twos(1024, 2.0f);

void add_writes(MadeDocument& made, const std::vector<float>& first,
                const std::vector<float>& second) {
  const auto x = made.buffer();
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}}), x, first);
  made.add({.kind = WorkKind::read, .run = {5, 6}, .reads = {{x}}});
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {6, 10}, .writes = {{x}}}), x, second);
  made.add({.kind = WorkKind::read, .run = {10, 11}, .reads = {{x}}});
}
TEST(CopyRedundant, IsFoundWhereTheBytesWereThere) {
  MadeDocument made;
  add_writes(made, ones, ones);
  const auto finding = find(made, "copy.redundant");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(2));
  EXPECT_EQ(finding->saving_ns, 4000u);
}
TEST(CopyRedundant, IsNotFoundWhereBytesDiffer) {
  MadeDocument made;
  add_writes(made, ones, twos);
  EXPECT_FALSE(find(made, "copy.redundant"));
}
TEST(CopyRedundant, IsNotFoundWhereAKernelWroteBetween) {
  MadeDocument made;
  const auto x = made.buffer(), k = made.kernel("k");
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}}), x, ones);
  made.add({.kernel = k, .run = {5, 6}, .reads = {{x}}, .writes = {{x}}});
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {6, 9}, .writes = {{x}}}), x, ones);
  EXPECT_FALSE(find(made, "copy.redundant"));
}

void add_round_trip(MadeDocument& made, const std::vector<float>& back) {
  const auto x = made.buffer(), y = made.buffer(), k = made.kernel("k");
  const auto run = made.add({.kernel = k, .run = {1, 5}, .writes = {{x}}});
  made.contents(ContentRole::check, run, x, ones);
  made.add({.kind = WorkKind::read, .run = {5, 8}, .reads = {{x}}});
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {9, 13}, .writes = {{y}}}), y, back);
}
TEST(CopyRoundtrip, IsFoundForBytesThatComeBack) {
  MadeDocument made;
  add_round_trip(made, ones);
  const auto finding = find(made, "copy.roundtrip");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 7000u);
}
TEST(CopyRoundtrip, IsNotFoundWhereTheHostChangedThem) {
  MadeDocument made;
  add_round_trip(made, twos);
  EXPECT_FALSE(find(made, "copy.roundtrip"));
}

void add_uploads(MadeDocument& made, float second) {
  const std::vector<float> large(32768, 3.0f), other(32768, second);
  const auto x = made.buffer({.size = 131072}), y = made.buffer({.size = 131072});
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}}), x, large);
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {5, 9}, .writes = {{y}}}), y, other);
}
TEST(UploadDup, IsFoundForTheSameBytesTwice) {
  MadeDocument made;
  add_uploads(made, 3);
  EXPECT_TRUE(find(made, "upload.dup"));
}
TEST(UploadDup, IsNotFoundForOtherBytes) {
  MadeDocument made;
  add_uploads(made, 4);
  EXPECT_FALSE(find(made, "upload.dup"));
}

TEST(CopyUnused, IsFoundForAWriteOverwrittenUnread) {
  MadeDocument made;
  const auto x = made.buffer();
  made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}});
  made.add({.kind = WorkKind::write, .run = {5, 9}, .writes = {{x}}});
  made.add({.kind = WorkKind::read, .run = {9, 10}, .reads = {{x}}});
  const auto finding = find(made, "copy.unused");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(0));
}
TEST(CopyUnused, IsNotFoundWhereHalfOfItIsRead) {
  MadeDocument made;
  const auto x = made.buffer();
  made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}});
  made.add({.kind = WorkKind::read, .run = {5, 6}, .reads = {{x, 0, 16}}});
  made.add({.kind = WorkKind::write, .run = {6, 9}, .writes = {{x}}});
  EXPECT_FALSE(find(made, "copy.unused"));
}
TEST(CopyUnused, IsNotFoundForTheLastWriteWhichMayBeReadLater) {
  MadeDocument made;
  made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{made.buffer()}}});
  EXPECT_FALSE(find(made, "copy.unused"));
}

TEST(FillDead, IsFoundForAFillOverwrittenWhole) {
  MadeDocument made;
  const auto x = made.buffer(), k = made.kernel("k");
  made.add({.kind = WorkKind::fill, .run = {1, 5}, .writes = {{x}}});
  made.add({.kernel = k, .run = {5, 9}, .writes = {{x}}});
  EXPECT_TRUE(find(made, "fill.dead"));
}
TEST(FillDead, IsNotFoundWhereTheKernelAddsToIt) {
  MadeDocument made;
  const auto x = made.buffer(), k = made.kernel("k");
  made.add({.kind = WorkKind::fill, .run = {1, 5}, .writes = {{x}}});
  made.add({.kernel = k, .run = {5, 9}, .reads = {{x}}, .writes = {{x}}});
  EXPECT_FALSE(find(made, "fill.dead"));
}

void add_small(MadeDocument& made, std::uint64_t step) {
  const auto x = made.buffer({.size = 1 << 20});
  for (std::uint64_t i = 0; i < 20; ++i) {
    const double t = 1 + 2 * static_cast<double>(i);
    made.add({.kind = WorkKind::write, .run = {t, t + 1}, .writes = {{x, i * step, 256}}});
  }
}
TEST(CopySmall, IsFoundForPiecesSideBySide) {
  MadeDocument made;
  add_small(made, 256);
  EXPECT_TRUE(find(made, "copy.small"));
}
TEST(CopySmall, IsNotFoundForPiecesApart) {
  MadeDocument made;
  add_small(made, 8192);
  EXPECT_FALSE(find(made, "copy.small"));
}

TEST(MemPeak, NamesTheLargestBuffer) {
  MadeDocument made;
  made.buffer({.size = 100});
  made.buffer({.size = 1 << 20, .label = "kv"});
  made.add({.kernel = made.kernel("k"), .run = {1, 2}});
  const auto finding = find(made, "mem.peak");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("'kv'"));
}
TEST(MemPeak, IsNotFoundWithoutBuffers) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .run = {1, 2}});
  EXPECT_FALSE(find(made, "mem.peak"));
}

void add_lives(MadeDocument& made, bool overlap) {
  const auto k = made.kernel("k");
  const auto first = made.buffer({.size = 1000, .allocated = 1, .freed = overlap ? 50.0 : 19.0});
  const auto second = made.buffer({.size = 1000, .allocated = 20, .freed = 60});
  made.add({.kernel = k, .run = {5, 15}, .call = test::Span{0.5, 0.6}, .writes = {{first}}});
  made.add({.kernel = k, .run = {20, 40}, .call = test::Span{0.6, 0.7}, .writes = {{second}}});
}
TEST(MemDead, IsFoundForABufferKeptTooLong) {
  MadeDocument made;
  add_lives(made, true);
  const auto finding = find(made, "mem.dead");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_bytes, 1000u);
}
// What lives on may be used again; what was there before may have been used then.
TEST(MemDead, IsNotFoundForBuffersWhoseUseTheDocumentDoesNotShow) {
  MadeDocument made;
  const auto k = made.kernel("k");
  const auto weights = made.buffer({.size = 1000}), other = made.buffer({.size = 1000});
  const auto passing = made.buffer({.size = 10, .allocated = 20, .freed = 30});
  made.add({.kernel = k, .run = {5, 15}, .call = test::Span{0.5, 0.6}, .reads = {{weights}}});
  made.add({.kernel = k, .run = {20, 25}, .call = test::Span{0.6, 0.7}, .changes = {{passing}}});
  made.add({.kernel = k, .run = {40, 45}, .call = test::Span{0.7, 0.8}, .reads = {{other}}});
  const Trace trace = made.trace();
  const analysis::Report report = analyze(trace);
  for (const analysis::Finding& finding : find_insights(trace, report))
    EXPECT_NE(finding.id, "mem.dead") << finding.title;
  EXPECT_EQ(report.memory.needed_at_peak_bytes, 2010u);
}
TEST(MemDead, IsNotFoundWhereItWasFreedInTime) {
  MadeDocument made;
  add_lives(made, false);
  EXPECT_FALSE(find(made, "mem.dead"));
}

TEST(MemNever, IsFoundForBuffersNobodyTouched) {
  MadeDocument made;
  made.buffer({.size = 777, .allocated = 1, .freed = 5});
  made.add({.kernel = made.kernel("k"), .run = {3, 9}});
  const auto finding = find(made, "mem.never");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_bytes, 777u);
}
TEST(MemNever, IsNotFoundForBuffersThatLiveOn) {
  MadeDocument made;
  made.buffer({.size = 777, .allocated = 1});
  made.add({.kernel = made.kernel("k"), .run = {3, 9}});
  EXPECT_FALSE(find(made, "mem.never"));
}

void add_passes(MadeDocument& made, bool freed) {
  const auto k = made.kernel("k");
  for (int p = 0; p < 5; ++p) {
    const double t = 100.0 * p;
    const auto x = made.buffer(
        {.size = 1000, .allocated = t + 5, .freed = freed ? std::optional(t + 90) : std::nullopt});
    made.add({.kernel = k,
              .run = {t + 10, t + 80},
              .call = test::Span{t + 6, t + 7},
              .reads = {{x}},
              .writes = {{x}}});
    made.pass({t + 4, t + 95});
  }
}
TEST(MemLeak, IsFoundWhereEachPassKeepsMore) {
  MadeDocument made;
  add_passes(made, false);
  const auto finding = find(made, "mem.leak");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_bytes, 4000u);
}
TEST(MemLeak, IsNotFoundWhereEachPassFrees) {
  MadeDocument made;
  add_passes(made, true);
  EXPECT_FALSE(find(made, "mem.leak"));
}

void add_churn(MadeDocument& made, std::uint64_t growth) {
  for (std::uint64_t i = 0; i < 12; ++i)
    made.buffer({.size = 4096 + i * growth,
                 .allocated = 1.0 + static_cast<double>(i),
                 .freed = 1.5 + static_cast<double>(i)});
  made.call("Device::buffer()", {1, 4});
  made.add({.kernel = made.kernel("k"), .run = {1, 20}});
}
TEST(MemChurn, IsFoundForTheSameSizeAgainAndAgain) {
  MadeDocument made;
  add_churn(made, 0);
  const auto finding = find(made, "mem.churn");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 3000u);
}
TEST(MemChurn, IsNotFoundForOtherSizes) {
  MadeDocument made;
  add_churn(made, 64);
  EXPECT_FALSE(find(made, "mem.churn"));
}

TEST(CriticalPathRule, SaysWhichKernelToStartWith) {
  MadeDocument made;
  const auto slow = made.kernel("slow");
  made.add({.kernel = slow, .run = {10, 90}, .call = test::Span{1, 2}});
  made.add({.kernel = made.kernel("quick"), .run = {90, 95}, .call = test::Span{2, 3}});
  const auto finding = find(made, "cp");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 40'000u);
  EXPECT_THAT(finding->evidence.kernels, ElementsAre(slow));
}
// A device that is busy all of its time, in a document that is mostly a wait.
void add_late_wait(MadeDocument& made, double returned) {
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 50}, .call = test::Span{1, 2}});
  made.add({.kernel = k, .run = {50, 90}, .call = test::Span{2, 3}});
  made.call("GraphSession::finish()", {4, returned});
}
TEST(CriticalPathRule, CountsTimeInAWaitAsWaiting) {
  MadeDocument made;
  add_late_wait(made, 390);
  const auto finding = find(made, "cp");
  ASSERT_TRUE(finding);
  EXPECT_EQ(number(*finding, "delays"), 300'000 + 9'000);
  EXPECT_EQ(number(*finding, "host"), 0);
  EXPECT_THAT(finding->title, HasSubstr("The longest wait is 300.0 µs in GraphSession::finish()."));
  EXPECT_THAT(finding->advice, StartsWith("Shorten the waiting"));
}
TEST(Verdict, SaysWhatTheRestWasWhereTheDeviceHadWorkForTheSmallerPart) {
  MadeDocument made;
  add_late_wait(made, 390);
  const auto finding = find(made, "verdict");
  EXPECT_THAT(finding->title, HasSubstr("Device-bound"));
  EXPECT_THAT(finding->title,
              HasSubstr("That is about 80.0 µs of the 389.0 µs that were recorded: 300.0 µs passed "
                        "after its last command in GraphSession::finish()."));
  EXPECT_THAT(finding->advice, StartsWith("Look first at what the host does before"));
}
TEST(Verdict, SaysNothingOfTheRestWhereItIsSmall) {
  MadeDocument made;
  add_late_wait(made, 95);
  EXPECT_THAT(find(made, "verdict")->title, Not(HasSubstr("recorded")));
}

TEST(CriticalPathRule, IsNotFoundWithoutTimes) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .call = test::Span{1, 2}});
  EXPECT_FALSE(find(made, "cp"));
}

TEST(Bandwidth, IsAnUpperBoundAndSaysSo) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .run = {1, 2}, .reads = {{made.buffer({.size = 8000})}}});
  const auto finding = find(made, "bandwidth");
  ASSERT_TRUE(finding);
  EXPECT_DOUBLE_EQ(number(*finding, "at_most"), 8.0);
  EXPECT_THAT(finding->title, HasSubstr("at most"));
}
TEST(Bandwidth, IsNotFoundForAKernelWithoutBuffers) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .run = {1, 2}});
  EXPECT_FALSE(find(made, "bandwidth"));
}

void add_values(MadeDocument& made, float strange, bool stored = true) {
  const auto x = made.buffer({.label = "logits"}), k = made.kernel("k");
  std::vector<float> values(1024, 1.0f);
  values[700] = strange;
  made.contents(ContentRole::check, made.add({.kernel = k, .run = {1, 2}, .writes = {{x}}}), x,
                values, stored);
}
TEST(NanRule, NamesTheBufferAndTheByte) {
  MadeDocument made;
  add_values(made, std::nanf(""));
  const auto finding = find(made, "nan");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, analysis::Severity::error);
  EXPECT_EQ(number(*finding, "offset"), 2800);
  EXPECT_THAT(finding->title, HasSubstr("NaN at element 700 (byte 2800)"));
  EXPECT_THAT(finding->title, StartsWith("b"));
  EXPECT_THAT(finding->title, HasSubstr("'logits'"));
}
TEST(NanRule, TakesAnInfinityForAWarning) {
  MadeDocument made;
  add_values(made, std::numeric_limits<float>::infinity());
  const auto finding = find(made, "nan");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, analysis::Severity::warning);
}
TEST(NanRule, IsNotFoundInNumbersOrInHashes) {
  MadeDocument made, hashes;
  add_values(made, 3);
  EXPECT_FALSE(find(made, "nan"));
  add_values(hashes, std::nanf(""), false);
  EXPECT_FALSE(find(hashes, "nan"));
}

// A kernel reads x, which may have been filled before; what x held is in the document.
std::optional<analysis::Finding> find_in_fresh_memory(const std::string& id, bool is_undefined,
                                                      bool is_filled) {
  MadeDocument made;
  const auto k = made.kernel("k");
  const auto x = made.buffer({.allocated = 1, .undefined = is_undefined}), y = made.buffer();
  if (is_filled) made.add({.kind = WorkKind::fill, .run = {5, 6}, .writes = {{x}}});
  const auto c = made.add({.kernel = k, .run = {10, 11}, .reads = {{x}}, .writes = {{y}}});
  made.contents(ContentRole::input, c, x, std::vector<float>(1024, std::nanf("")));
  return find(made, id);
}

TEST(ReadUninit, IsAWarningAndNoErrorOfNumbers) {
  const auto finding = find_in_fresh_memory("read.uninit", true, false);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, analysis::Severity::warning);
  EXPECT_FALSE(find_in_fresh_memory("nan", true, false));
}
TEST(ReadUninit, IsNotFoundInMemoryThatWasWrittenOrBeginsAsZeros) {
  EXPECT_FALSE(find_in_fresh_memory("read.uninit", true, true));
  EXPECT_FALSE(find_in_fresh_memory("read.uninit", false, false));
  EXPECT_TRUE(find_in_fresh_memory("nan", true, true));
  EXPECT_TRUE(find_in_fresh_memory("nan", false, false));
}

void add_twice(MadeDocument& made, const std::vector<float>& first,
               const std::vector<float>& second) {
  const auto x = made.buffer(), y = made.buffer(), k = made.kernel("k");
  // One work, given twice.
  const auto run = [&](double t) {
    return made.add({.kernel = k, .run = {t, t + 1}, .reads = {{x}}, .writes = {{y}}});
  };
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {1, 2}, .writes = {{x}}}), x, ones);
  made.contents(ContentRole::check, run(3), y, first);
  made.contents(ContentRole::check, run(5), y, second);
}
TEST(Nondeterminism, IsFoundForOtherResultsOfTheSameBytes) {
  MadeDocument made;
  add_twice(made, ones, twos);
  const auto finding = find(made, "nondeterminism");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(1, 2));
}
TEST(Nondeterminism, IsNotFoundForTheSameResults) {
  MadeDocument made;
  add_twice(made, ones, ones);
  EXPECT_FALSE(find(made, "nondeterminism"));
}

void add_runs(MadeDocument& made, std::size_t slow, double factor) {
  const auto k = made.kernel("k");
  double t = 10;
  for (std::size_t i = 0; i < 12; ++i) {
    const double run = i == slow ? 10 * factor : 10;
    made.add(
        {.kernel = k,
         .run = {t, t + run},
         .call = test::Span{1 + 0.1 * static_cast<double>(i), 1.1 + 0.1 * static_cast<double>(i)}});
    t += run;
  }
}
TEST(OutlierRule, IsFoundForARunFarFromItsLike) {
  MadeDocument made;
  add_runs(made, 7, 10);
  const auto finding = find(made, "outlier");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(7));
  EXPECT_EQ(finding->saving_ns, 90'000u);
  EXPECT_THAT(finding->title, Not(HasSubstr("warming up")));
}
TEST(OutlierRule, KnowsAWarmUp) {
  MadeDocument made;
  add_runs(made, 0, 10);
  EXPECT_THAT(find(made, "outlier")->title, HasSubstr("warming up"));
}
TEST(OutlierRule, IsNotFoundForRunsThatAreGivenMore) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer({.size = 4096}), y = made.buffer({.size = 64});
  for (int i = 0; i < 30; ++i) {
    const double t = 100.0 * i + 10;
    const bool is_large = i % 5 == 0;
    made.add({.kernel = k, .run = {t, t + (is_large ? 60 : 10)}, .reads = {{is_large ? x : y}}});
  }
  EXPECT_FALSE(find(made, "outlier"));
}
TEST(OutlierRule, IsNotFoundForTwiceAsLong) {
  MadeDocument made;
  add_runs(made, 7, 2);
  EXPECT_FALSE(find(made, "outlier"));
}

TEST(ClockRule, IsFoundForATimeBeforeTheCall) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .run = {10, 20}, .call = test::Span{15, 16}});
  EXPECT_TRUE(find(made, "clock"));
}
TEST(ClockRule, IsNotFoundWhereTimesFit) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .run = {10, 20}, .call = test::Span{5, 16}});
  EXPECT_FALSE(find(made, "clock"));
}

TEST(CaptureRule, WarnsWhereRecordingTookMuchOfTheTime) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .run = {10, 20}});
  made.overhead({12, 18});
  const auto finding = find(made, "capture");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, analysis::Severity::warning);
  EXPECT_EQ(number(*finding, "overhead"), 6000);
}
TEST(CaptureRule, StandsOnTopWhereRecordingTookATenth) {
  MadeDocument made;
  add_chain(made, 20, 30, 1);
  made.overhead({200, 600});
  const auto findings = findings_of(made);
  EXPECT_EQ(findings[0].id, "verdict");
  EXPECT_EQ(findings[1].id, "capture");
}
TEST(CaptureRule, OnlyTellsWhereItTookLittle) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .run = {10, 20}});
  made.overhead({12, 12.1});
  EXPECT_EQ(find(made, "capture")->severity, analysis::Severity::info);
}

TEST(FindingsJson, IsValidWhateverLabelsHold) {
  MadeDocument made;
  const auto x = made.buffer({.label = "</script>\"\x01\xff\xfe"}), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}, .label = "\xc3\x28"});
  made.add({.kind = WorkKind::read, .stream = side, .run = {2, 3}, .reads = {{x}}});
  const Trace trace = made.trace();
  const analysis::Report report = analyze(trace);
  const auto json =
      nlohmann::json::parse(analysis::findings_json(trace, report, find_insights(trace, report)));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["findings"][1]["id"], "race");
  EXPECT_EQ(json["findings"][1]["evidence"]["commands"][0], "c0");
}

}  // namespace
}  // namespace reel
