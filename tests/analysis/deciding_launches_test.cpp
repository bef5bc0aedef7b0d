// Launches of graphs that decide: documents have them in parts, and the program doesn't.
#include "analysis/found.hpp"
#include "document/trace/one_by_one.hpp"
#include "reel/analysis.hpp"

namespace reel {
namespace {

using analysis::IdleCause;
using analysis::Pass;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

enum class Decided { alone, by_answers, by_function, unknown };

// Three launches, of four rounds each, 200 µs apart. A round is a part of 10 µs, given when the
// condition is known, 20 µs after the one before, and the read of the condition, of 1 µs.
void fill(MadeDocument& made, Decided decided, int launches = 3, const std::string& scope = {}) {
  constexpr std::uint32_t whole = 9, body = 3;
  const auto k = made.kernel("k"), step = made.kernel("step");
  double now = 1;
  for (int i = 0; i < launches; ++i) {
    const double begin = now;
    now += 5;
    for (int round = 0; round < 4; ++round) {
      const std::string number = std::to_string(round);
      const test::Span call{now, now + 1};
      const auto launch = made.add({.kind = WorkKind::launch,
                                    .call = call,
                                    .label = "while 'loop', round " + number,
                                    .graph = body});
      made.add({.kernel = k,
                .run = {now + 2, now + 7},
                .call = call,
                .scope = scope.empty() ? scope : scope + "/first",
                .launch = launch,
                .node = 0});
      made.add({.kernel = step,
                .run = {now + 7, now + 12},
                .call = call,
                .scope = scope.empty() ? scope : scope + "/second",
                .launch = launch,
                .node = 1});
      const bool asks = decided == Decided::by_function;
      made.add({.kind = asks ? WorkKind::barrier : WorkKind::read,
                .run = asks ? test::Span{} : test::Span{now + 22, now + 23},
                .call = test::Span{now + 20, now + 21},
                .label = "while 'loop': 1, round " + number});
      now += 32;
    }
    made.call("Stream::synchronize()", {now, now + 1});
    if (decided != Decided::unknown) made.deciding_launch({begin, now - 2}, whole);
    now += 200;
  }
  if (decided == Decided::alone)
    made.note(in_parts_text(whole, "", "one native kernel"), std::string(in_parts_kind));
}

std::uint64_t idle(const analysis::Report& report, IdleCause cause) {
  return report.activity.idle_ns[static_cast<std::size_t>(cause)];
}

TEST(DecidingLaunches, WaitForRecordingWhereNothingElseGivesThemInParts) {
  MadeDocument made, unknown;
  fill(made, Decided::alone);
  fill(unknown, Decided::unknown);
  const Trace trace = made.trace(), without = unknown.trace();
  const auto report = analyze(trace), blamed = analyze(without);
  // A round has 21 µs without work, the last of a launch 10.
  const std::uint64_t between = 3 * (3 * 21'000 + 10'000);
  // Around a launch, launch() waits before its first part and after its last.
  EXPECT_EQ(idle(report, IdleCause::capture), between + 2 * (5'000 + 7'000));
  EXPECT_EQ(idle(blamed, IdleCause::capture), 0u);
  EXPECT_GT(idle(blamed, IdleCause::host), idle(report, IdleCause::host));
  // What the program does between two launches stays its own.
  EXPECT_GT(idle(report, IdleCause::host), 2 * 190'000u);
  EXPECT_GT(report.path.parts.capture_ns, between / 2);
  EXPECT_LT(report.path.parts.host_ns, blamed.path.parts.host_ns);
}

TEST(DecidingLaunches, ThatWaitForAnswersHaveLaunchLatency) {
  MadeDocument made;
  fill(made, Decided::by_answers);
  const Trace trace = made.trace();
  const auto report = analyze(trace);
  EXPECT_EQ(idle(report, IdleCause::capture), 0u);
  EXPECT_GE(idle(report, IdleCause::launch), 3 * (3 * 21'000 + 10'000u));
}

TEST(DecidingLaunches, ThatAskTheProgramLeaveItsTimeToIt) {
  MadeDocument made;
  fill(made, Decided::by_function);
  const Trace trace = made.trace();
  const auto report = analyze(trace);
  EXPECT_EQ(idle(report, IdleCause::capture), 0u);
  EXPECT_GE(idle(report, IdleCause::host), 3 * 3 * 18'000u);
}

TEST(DecidingLaunches, SayInTheVerdictWhoseTheWaitsAre) {
  MadeDocument made;
  fill(made, Decided::alone, 1);
  const auto findings = findings_of(made);
  EXPECT_THAT(findings[0].title, HasSubstr("Recording made it idle"));
  EXPECT_THAT(findings[0].title, Not(HasSubstr("Host-bound")));
  MadeDocument again;
  fill(again, Decided::alone, 1);
  EXPECT_THAT(find(again, "capture")->title, HasSubstr("between pieces of graphs"));
}

TEST(DecidingLaunches, ArePassesAndTheirRoundsAreNot) {
  MadeDocument made;
  fill(made, Decided::alone);
  const Trace trace = made.trace();
  const auto passes = analysis::find_passes(trace, analysis::find_repetitions(trace));
  ASSERT_THAT(passes, SizeIs(3));
  EXPECT_THAT(passes, Each(Field(&Pass::kind, Pass::Kind::launch)));
  EXPECT_EQ(passes[1].first, 16u);
  EXPECT_EQ(passes[1].end, 32u);
}

// Scopes of a loop's body come again with each round.
TEST(DecidingLaunches, OfWhichThereIsOneHasNoPassesHoweverOftenItWentRound) {
  for (const std::string scope : {"", "step"}) {
    MadeDocument made;
    fill(made, Decided::by_answers, 1, scope);
    const Trace trace = made.trace();
    EXPECT_THAT(analysis::find_passes(trace, analysis::find_repetitions(trace)), SizeIs(0))
        << scope;
  }
}

}  // namespace
}  // namespace reel
