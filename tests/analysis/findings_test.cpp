// Findings as a whole, and the rules of the critical path, of values and of recording. Each rule
// twice: a document that has the problem, and one that only looks like it.
#include <nlohmann/json.hpp>

#include "analysis/found.hpp"
#include "document/trace/one_by_one.hpp"
#include "reel/peaks.hpp"
#include "reel/units.hpp"

namespace reel {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

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

TEST(Findings, CountThingsInEnglish) {
  EXPECT_EQ(count_text(1, "dispatch"), "1 dispatch");
  EXPECT_EQ(count_text(20'222, "dispatch"), "20,222 dispatches");
  EXPECT_EQ(count_text(3, "pass"), "3 passes");
  EXPECT_EQ(count_text(2, "graph launch"), "2 graph launches");
  EXPECT_EQ(count_text(2, "kernel"), "2 kernels");
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
  // The verdict says that the device was busy all of its time: both are about the same time.
  EXPECT_EQ(number(*finding, "commands"), 80'000);
  EXPECT_EQ(number(*finding, "delays"), 0);
  EXPECT_THAT(finding->title, HasSubstr("from the first start to the last end, 80.0 µs, is 100.0% "
                                        "commands."));
  EXPECT_THAT(finding->title, Not(HasSubstr("wait")));
}
// A wait is never said to be longer than the call that it is in.
TEST(CriticalPathRule, SaysHowMuchOfTheLongestWaitIsInWhichCall) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
  made.call("Stream::synchronize()", {150, 420});
  made.add({.kernel = k, .run = {420, 430}, .call = test::Span{3, 4}});
  const auto finding = find(made, "cp");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("The longest wait is 400.0 µs, before c1; 270.0 µs of it "
                                        "in Stream::synchronize()."));
  EXPECT_THAT(finding->advice, StartsWith("Shorten the waiting"));
}
TEST(Verdict, SaysWhatTheRestWasWhereTheDeviceHadWorkForTheSmallerPart) {
  MadeDocument made;
  add_late_wait(made, 390);
  const auto finding = find(made, "verdict");
  EXPECT_THAT(finding->title, HasSubstr("Device-bound"));
  EXPECT_THAT(finding->title,
              HasSubstr("All this is about the time from the first start to the last end, 80.0 µs "
                        "of the 389.0 µs that "
                        "were recorded: 300.0 µs passed after its last command ended, mostly in "
                        "GraphSession::finish()."));
  EXPECT_THAT(finding->advice, StartsWith("Look first at what the host does before"));
}
// Times of commands count from the origin: what passed before the first is the same number.
TEST(Verdict, SaysHowMuchOfWhatPassedIsRecording) {
  MadeDocument made;
  made.call("setup", {0, 1});
  made.overhead({10, 60});
  made.add({.kernel = made.kernel("k"), .run = {300, 350}, .call = test::Span{299, 300}});
  EXPECT_THAT(
      find(made, "verdict")->title,
      HasSubstr("300.0 µs passed before its first command started (50.0 µs of it recording)"));
}
// The finding of a cause has a part of the gap, so the verdict says how long each part is.
TEST(Verdict, OfADeviceThatWaitedForBuildsIsAboutBuilding) {
  MadeDocument made;
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}});
  made.call("Device::kernel()", {25, 900});
  made.add({.kernel = k, .run = {910, 920}, .call = test::Span{901, 902}});
  const auto finding = find(made, "verdict");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("it waited for kernels to be built."));
  EXPECT_THAT(finding->advice, HasSubstr("Build kernels"));
}
TEST(Verdict, SaysWhatItsLongestGapIsMadeOf) {
  MadeDocument made, later;
  for (MadeDocument* one : {&made, &later}) {
    const auto k = one->kernel("k");
    one->add({.kernel = k, .run = {10, 20}, .call = test::Span{1, 2}});
    one->add({.kernel = k, .run = {22, 30}, .call = test::Span{2, 3}});
    one->add({.kernel = k, .run = {430, 440}, .call = test::Span{330, 331}});
  }
  EXPECT_THAT(find(made, "verdict")->title,
              HasSubstr("One gap of 400.0 µs (300.0 µs host, 100.0 µs launch), before c2"));
  EXPECT_EQ(number(*find(later, "idle.host"), "longest"), 300'000);
}
// Nodes that recording gives one by one: the program launches the graph as one.
TEST(Verdict, DoesNotBlameTheProgramForNodesThatRecordingGivesOneByOne) {
  for (const bool is_noted : {true, false}) {
    const auto fill = [&](MadeDocument& made) {
      const auto k = made.kernel("k");
      const auto launch =
          made.add({.kind = WorkKind::launch, .call = test::Span{1, 2}, .graph = 0});
      for (std::uint32_t i = 0; i < 20; ++i)
        made.add({.kernel = k,
                  .run = {10 + 20.0 * i, 15 + 20.0 * i},
                  .call = test::Span{1, 2},
                  .launch = launch,
                  .node = i});
      if (is_noted)
        made.note(one_by_one_text(0, "", "native replay"), std::string(one_by_one_kind));
    };
    MadeDocument made, again;
    fill(made);
    fill(again);
    const auto findings = findings_of(made);
    EXPECT_EQ(findings[0].title.find("Host-bound") == std::string::npos, is_noted)
        << findings[0].title;
    EXPECT_EQ(findings[0].advice.find("larger pieces") == std::string::npos, is_noted);
    EXPECT_EQ(findings[0].title.find("Recording made it idle") != std::string::npos, is_noted);
    const auto has = [&](const char* id) {
      return std::ranges::find(findings, id, &analysis::Finding::id) != findings.end();
    };
    EXPECT_EQ(has("idle.launch"), !is_noted);
    EXPECT_FALSE(is_noted && has("overlap.lost"));
    const auto capture = find(again, "capture");
    EXPECT_EQ(number(*capture, "between_nodes"), is_noted ? 19 * 15'000 : 0);
    EXPECT_EQ(number(*capture, "idle"), 0);
  }
}
TEST(Verdict, CannotTellHowBusyADeviceWasWhereWorkHasNoTimes) {
  MadeDocument made;
  const auto k = made.kernel("k");
  for (int i = 0; i < 10; ++i) {
    made.add({.kernel = k, .call = test::Span{100.0 * i + 1, 100.0 * i + 2}});
    made.add({.kind = WorkKind::copy, .run = {100.0 * i + 80, 100.0 * i + 81}});
  }
  EXPECT_EQ(
      find(made, "verdict")->title,
      "How busy the device was can't be told: 10 of 20 commands have no timestamps. The others "
      "took 10.0 µs.");
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
DevicePeaks peaks_of_made(const Trace& trace, double gb_per_s) {
  const TraceDevice& device = trace.devices().at(0);
  return {.name = device.name,
          .driver = device.driver,
          .driver_version = device.driver_version,
          .measured = "2026-01-02",
          .bytes_per_s = gb_per_s * 1e9,
          .flops = 1e9,
          .launch_ns = 1500,
          .round_trip_ns = 9000};
}
TEST(Bandwidth, IsHeldAgainstWhatTheDeviceWasMeasuredToGive) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer({.size = 8000});
  for (const double t : {1.0, 2.0}) made.add({.kernel = k, .run = {t, t + 1}, .reads = {{x}}});
  const Trace trace = made.trace();
  const auto with = [&](const std::vector<DevicePeaks>& peaks) {
    for (const auto& finding : analysis::find_insights(trace, analyze(trace), peaks))
      if (finding.id == "bandwidth") return finding;
    return analysis::Finding{};
  };
  const DevicePeaks near = peaks_of_made(trace, 10), far = peaks_of_made(trace, 1000);
  EXPECT_DOUBLE_EQ(number(with({near}), "of_peak"), 80);
  EXPECT_THAT(with({near}).title,
              HasSubstr("80% of the 10 GB/s that this device gave `reel bench` on 2026-01-02."));
  EXPECT_THAT(with({near}).advice, HasSubstr("Memory may limit it"));
  EXPECT_THAT(with({far}).advice, HasSubstr("memory doesn't limit it"));
  DevicePeaks other = near;
  other.driver_version += ".1";  // another driver: nothing is known of this one
  EXPECT_THAT(with({other}).title, testing::Not(HasSubstr("reel bench")));
  EXPECT_THAT(with({other}).advice, HasSubstr("`reel bench --save`"));
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
  MadeDocument made, later;
  made.call("clBuildProgram", {0.1, 0.5});
  add_runs(made, 0, 10);
  EXPECT_THAT(find(made, "outlier")->title, HasSubstr("warming up"));
  // Built before the capture began: it may have run before that as well.
  add_runs(later, 0, 10);
  EXPECT_THAT(
      find(later, "outlier")->title,
      AllOf(Not(HasSubstr("warming up")), HasSubstr("the first of its kind that was recorded")));
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
// Three of ten runs are no exceptions: it has two speeds.
TEST(OutlierRule, IsNotFoundWhereManyRunsAreSlow) {
  MadeDocument made, again;
  for (MadeDocument* one : {&made, &again}) {
    const auto k = one->kernel("k");
    double t = 10;
    for (int i = 0; i < 20; ++i) {
      const double run = i % 10 < 3 ? 50 : 10;
      one->add({.kernel = k, .run = {t, t + run}, .call = test::Span{1, 2}});
      t += run;
    }
  }
  EXPECT_FALSE(find(made, "outlier"));
  const auto finding = find(again, "speeds");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("6 of 20 runs of kernel 'k'"));
  EXPECT_FALSE(finding->saving_ns);
  EXPECT_NE(finding->confidence, analysis::Confidence::certain);
}
TEST(OutlierRule, IsNotFoundForTwiceAsLong) {
  MadeDocument made;
  add_runs(made, 7, 2);
  EXPECT_FALSE(find(made, "outlier"));
}

// A kernel wrote the bytes, so no document has them; that they were copied before is enough.
TEST(RedundantCopyRule, IsFoundForACopyOfWhatWasCopiedBefore) {
  for (const bool is_written : {false, true})
    for (const bool is_seen_by_host : {false, true}) {
      MadeDocument made;
      const auto k = made.kernel("k"), x = made.buffer(), other = made.buffer();
      const auto y = made.buffer({.memory = {.flags = is_seen_by_host ? 2u : 0u}});
      made.add({.kernel = k, .run = {10, 20}, .writes = {{x}}});
      made.add({.kind = WorkKind::copy, .run = {20, 30}, .reads = {{x}}, .writes = {{y}}});
      made.add({.kernel = k,
                .run = {30, 40},
                .reads = {{y}},
                .writes = {is_written ? test::MadeRange{x, 0, 64} : test::MadeRange{other}}});
      made.add({.kind = WorkKind::copy, .run = {40, 50}, .reads = {{x}}, .writes = {{y}}});
      made.contents(ContentRole::input, 0, other, {1, 2, 3});
      const auto finding = find(made, "copy.redundant");
      ASSERT_EQ(finding.has_value(), !is_written && !is_seen_by_host);
      if (!finding) continue;
      EXPECT_THAT(finding->evidence.commands, ElementsAre(3));
    }
}
// What was recorded as an input may have changed without a command.
TEST(RedundantCopyRule, IsNotFoundWhereTheTargetWasReadAgain) {
  MadeDocument made;
  const auto x = made.buffer(), y = made.buffer({.size = 12});
  for (int i = 0; i < 2; ++i)
    made.add({.kind = WorkKind::copy,
              .run = {10.0 + 10 * i, 20.0 + 10 * i},
              .reads = {{x, 0, 12}},
              .writes = {{y}}});
  made.contents(ContentRole::input, 1, y, {1, 2, 3});
  EXPECT_FALSE(find(made, "copy.redundant"));
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
// One number a thing: within what was recorded, outside of it, on the thread that writes.
TEST(CaptureRule, NamesWhatEachOfItsTimesIs) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .run = {10, 5010}, .call = test::Span{9, 9.5}});
  made.overhead({100, 200});
  made.overhead({6000, 29000}, OverheadKind::stopping);
  made.overhead({100, 900}, OverheadKind::writing);
  const auto finding = find(made, "capture");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title,
              HasSubstr("Recording took 100.0 µs of the 5.00 ms that were recorded (2.0%); besides "
                        "23.00 ms before it began, after it ended or on several threads at once, "
                        "and 800.0 µs of CPU time on a thread of its own."));
}
TEST(CaptureRule, StandsOnTopWhereRecordingTookATenth) {
  MadeDocument made;
  add_chain(made, 20, 30, 1);
  made.overhead({200, 600});
  const auto findings = findings_of(made);
  EXPECT_EQ(findings[0].id, "verdict");
  EXPECT_EQ(findings[1].id, "capture");
}
TEST(CaptureRule, AdvisesFewerContentsOnlyWhereTheseTakeTheTime) {
  for (const bool contents : {false, true}) {
    MadeDocument made;
    made.add({.kernel = made.kernel("k"), .run = {10, 20}});
    made.overhead({12, 18}, contents ? OverheadKind::inputs : OverheadKind::commands);
    EXPECT_THAT(find(made, "capture")->advice,
                HasSubstr(contents ? "With fewer contents" : "fewer contents don't change"));
  }
}
TEST(CaptureRule, SaysThatItMadeTheProgramWait) {
  MadeDocument made, ends;
  for (MadeDocument* one : {&made, &ends}) one->add({.kernel = one->kernel("k"), .run = {10, 500}});
  made.overhead({20, 21}, OverheadKind::waiting);
  made.overhead({30, 32}, OverheadKind::waiting);
  made.overhead({510, 511}, OverheadKind::stopping);
  EXPECT_THAT(find(made, "capture")->title,
              HasSubstr("It made the program wait 2 times, 3.0 µs in all"));
  // The document being closed holds up no work.
  ends.overhead({510, 511}, OverheadKind::stopping);
  ends.overhead({512, 513}, OverheadKind::waiting);
  EXPECT_THAT(find(ends, "capture")->title, Not(HasSubstr("program wait")));
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
