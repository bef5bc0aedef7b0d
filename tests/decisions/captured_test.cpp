// What a document concludes of graphs that decide, which only a capture gives in parts.
#include "recording/captured.hpp"

#include <gmock/gmock.h>

#include <map>

#include "decisions/pick.hpp"
#include "document/trace/one_by_one.hpp"
#include "reel/analysis.hpp"
#include "reel/decision_tree.hpp"
#include "reel/insights.hpp"
#include "reel/replay.hpp"
#include "replay/told.hpp"

namespace reel::test {
namespace {

using analysis::IdleCause;
using analysis::Pass;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

class CapturedDecisions : public DecidingTest {
 protected:
  // Adds to y, in 12 rounds.
  Graph counting() const {
    Graph body, graph;
    add_mad(body, y, 1, 1);
    count_down(body, flag);
    add_pick(graph, x, flag, 100);
    graph.add_while(flag, body, {.label = "loop"});
    return graph;
  }
  Trace capture_of(const GraphExec& exec, int launches) const {
    set(x, 12);
    return captured(
        [&] {
          for (int i = 0; i < launches; ++i) run(exec);
        },
        {.contents = Contents::none});
  }
  static std::vector<TraceRegion> launches(const Trace& trace) {
    std::vector<TraceRegion> found;
    for (const TraceRegion& region : trace.regions())
      if (region.kind == TraceRegion::Kind::launch) found.push_back(region);
    return found;
  }
  static std::vector<std::string> titles(const Trace& trace) {
    const analysis::RegionTitles titles(trace);
    std::vector<std::string> found;
    for (std::uint32_t r = 0; r < trace.regions().size(); ++r) found.push_back(titles.of(r));
    return found;
  }
  // Causes of idle time between two commands of one launch, added up.
  static std::map<IdleCause, std::uint64_t> idle_within_launches(const Trace& trace) {
    const auto gave = [&](const TraceRegion& region, std::uint32_t command) {
      const std::uint64_t given = trace.commands()[command].call_begin_ns;
      return given >= region.begin_ns && given <= region.end_ns;
    };
    std::map<IdleCause, std::uint64_t> found;
    for (const analysis::Gap& gap : analyze(trace).activity.gaps)
      for (const TraceRegion& region : launches(trace))
        if (gave(region, gap.before) && gave(region, gap.after)) found[gap.cause] += gap.size_ns();
    return found;
  }
};
INSTANTIATE_TEST_SUITE_P(Each, CapturedDecisions, every_device(), device_name);

TEST_P(CapturedDecisions, ALaunchIsAPassAndItsRoundsAreNone) {
  const GraphExec exec = counting().instantiate(device(), {.name = "count"});
  const Trace trace = capture_of(exec, 3);
  ASSERT_THAT(launches(trace), SizeIs(3));
  EXPECT_EQ(trace.text(launches(trace)[0].name), "count");
  EXPECT_THAT(trace.regions(), SizeIs(3 * (1 + 1 + 12))) << "with the loop, and its rounds";
  const std::vector<Pass> passes = analyze(trace).passes;
  ASSERT_THAT(passes, SizeIs(3));
  EXPECT_THAT(passes, Each(Field(&Pass::kind, Pass::Kind::launch)));
  for (const Pass& pass : passes) EXPECT_EQ(pass.end - pass.first, trace.commands().size() / 3);
  EXPECT_THAT(analyze(capture_of(exec, 1)).passes, SizeIs(0));
}

TEST_P(CapturedDecisions, WaitsThatOnlyACaptureMakesAreItsOwn) {
  const GraphExec exec = counting().instantiate(device());
  const Trace trace = capture_of(exec, 4);
  EXPECT_EQ(graphs_noted(trace, in_parts_kind).size(), 1u);
  const auto idle = idle_within_launches(trace);
  ASSERT_FALSE(idle.empty());
  for (const auto& [cause, ns] : idle)
    EXPECT_TRUE(cause == IdleCause::capture || cause == IdleCause::launch ||
                cause == IdleCause::unknown)
        << to_string(cause) << ": " << ns << " ns";
  const std::uint64_t capture = idle.contains(IdleCause::capture) ? idle.at(IdleCause::capture) : 0;
  std::uint64_t sum = 0;
  for (const auto& [cause, ns] : idle) sum += ns;
  EXPECT_GT(capture * 2, sum);
}

// The program's function is asked whether or not somebody records it.
TEST_P(CapturedDecisions, AFunctionThatIsAskedStaysTheProgramsTime) {
  Graph graph;
  add_mad(graph, y, 1, 1);
  int left = 3;
  graph.add_while([&] { return std::uint32_t(left-- > 0); }, mad_graph(y, 1, 1));
  const Trace trace = capture_of(graph.instantiate(device()), 1);
  EXPECT_THAT(launches(trace), SizeIs(1));
  EXPECT_TRUE(graphs_noted(trace, in_parts_kind).empty());
  EXPECT_EQ(idle_within_launches(trace).count(IdleCause::capture), 0u);
}

TEST_P(CapturedDecisions, ALaunchThatFailsIsARegionAllTheSame) {
  Graph graph;
  graph.add_while(flag, mad_graph(y, 1, 1), {.label = "spin"}, {.iterations = 5});
  const GraphExec exec = graph.instantiate(device());
  set(flag, 1);
  const Trace trace =
      captured([&] { expect_error(Code::timed_out, {"'spin'"}, [&] { run(exec); }); });
  EXPECT_THAT(launches(trace), SizeIs(1));
  EXPECT_THAT(titles(trace), ElementsAre("launch", "while 'spin': 5 rounds", "round 0", "round 1",
                                         "round 2", "round 3", "round 4"));
}

// It is an error of the program, which may never have asked for it.
TEST_P(CapturedDecisions, ALoopThatEndedAtItsLimitIsTold) {
  Graph graph;
  graph.add_while(flag, mad_graph(y, 1, 1), {.label = "spin"}, {.iterations = 5});
  const GraphExec exec = graph.instantiate(device());
  for (const std::uint32_t condition : {0u, 1u}) {
    set(flag, condition);
    const Trace trace = captured([&] {
      if (condition)
        expect_error(Code::timed_out, {"'spin'"}, [&] { run(exec); });
      else
        run(exec);
    });
    std::vector<std::string> notes, errors;
    for (const TraceNote& note : trace.notes())
      if (note.kind == decision_failed_kind) notes.push_back(note.text);
    for (const analysis::Finding& finding : find_insights(trace, analyze(trace)))
      if (finding.severity == analysis::Severity::error) errors.push_back(finding.title);
    if (!condition) {
      EXPECT_THAT(notes, SizeIs(0));
      EXPECT_THAT(errors, SizeIs(0));
      continue;
    }
    EXPECT_THAT(notes, ElementsAre(HasSubstr("after 5 rounds, which is the limit")));
    EXPECT_THAT(errors, ElementsAre(AllOf(HasSubstr("A launch failed"), HasSubstr("'spin'"))));
    const TraceCommand last = trace.commands()[trace.commands().size() - 1];
    EXPECT_EQ(trace.text(trace.work_of(last).label), "while 'spin': 1, limit reached");
  }
}

TEST_P(CapturedDecisions, RegionsTellWhatWasDecided) {
  Graph inner, graph;
  inner.add_if(x, mad_graph(y, 1, 1), {.label = "enough"});
  graph.add_if(flag, mad_graph(y, 1, 1), {.label = "never"});
  graph.add_if(flag, mad_graph(y, 1, 1), mad_graph(y, 1, 2));
  graph.add_repeat(2, inner, {.label = "rounds"});
  const std::vector<Graph> cases{mad_graph(y, 1, 1), mad_graph(y, 1, 2), mad_graph(y, 1, 3)};
  graph.add_switch(x, cases, {.label = "mode"});
  const GraphExec exec = graph.instantiate(device(), {.name = "step"});
  set(x, 2);
  set(flag, 0);
  const Trace trace = captured([&] { run(exec); });
  EXPECT_THAT(
      titles(trace),
      ElementsAre("launch 'step'", "if 'never': 0, not taken", "if 'n1': 0, else", "else",
                  "repeat 'rounds': 2 rounds", "round 0 of 2", "if 'enough': 2, then", "then",
                  "round 1 of 2", "if 'enough': 2, then", "then", "switch 'mode': 2", "case 2"));
  const analysis::RegionTitles titles(trace);
  EXPECT_EQ(titles.path(7),
            "launch 'step' > repeat 'rounds': 2 rounds > round 0 of 2 > if 'enough': 2, then");
  const analysis::DecisionNode all = analysis::find_decisions(trace);
  ASSERT_THAT(all.below, SizeIs(1));
  EXPECT_EQ(all.below[0].commands, trace.commands().size());
  ASSERT_THAT(all.below[0].below, SizeIs(4));
  const analysis::DecisionNode& rounds = all.below[0].below[2].below.at(0);
  EXPECT_EQ(rounds.times, 2u);
  EXPECT_EQ(rounds.below.at(0).title, "if 'enough'");
  EXPECT_EQ(rounds.below.at(0).below.at(0).times, 2u);
}

// Two ifs, one of them always taken and one never, are not one that is taken half the time.
TEST_P(CapturedDecisions, DecisionsWithoutNamesAreToldApart) {
  Graph inner, graph;
  inner.add_if(x, mad_graph(y, 1, 1));
  inner.add_if(flag, mad_graph(y, 1, 1));
  graph.add_repeat(2, inner);
  graph.add_repeat(3, inner);
  graph.add_if(x, mad_graph(y, 1, 1));
  const GraphExec exec = graph.instantiate(device());
  set(x, 1);
  set(flag, 0);
  const Trace trace = captured([&] {
    run(exec);
    run(exec);
  });
  const analysis::DecisionNode all = analysis::find_decisions(trace);
  ASSERT_THAT(all.below, SizeIs(1));
  const auto& decisions = all.below[0].below;
  ASSERT_THAT(decisions, SizeIs(3));
  EXPECT_EQ(decisions[0].title, "repeat 'n0'");
  EXPECT_EQ(decisions[1].title, "repeat 'n1'");
  EXPECT_EQ(decisions[2].title, "if 'n2'");
  for (std::size_t i = 0; i < 2; ++i) {
    const analysis::DecisionNode& rounds = decisions[i].below.at(0);
    EXPECT_EQ(rounds.times, 2u * (2 + i));
    ASSERT_THAT(rounds.below, SizeIs(2));
    EXPECT_EQ(rounds.below[0].title, "if 'n0'");
    EXPECT_THAT(rounds.below[0].below, SizeIs(1));
    EXPECT_EQ(rounds.below[1].title, "if 'n1'");
    EXPECT_THAT(rounds.below[1].below, SizeIs(0)) << "never taken";
    EXPECT_EQ(rounds.below[1].times, rounds.times);
  }
}

// A capture of one scope has the decisions in it, and those around it.
TEST_P(CapturedDecisions, RegionsOfAnotherScopeAreLeftOut) {
  Graph graph;
  for (const char* name : {"wanted", "other"})
    graph.add_if(flag, mad_graph(y, 1, 1), {.label = name, .scope = Scope().child(name)});
  const GraphExec exec = graph.instantiate(device());
  set(flag, 1);
  const Trace trace = captured([&] { run(exec); }, {.scope = "wanted"});
  EXPECT_THAT(titles(trace), ElementsAre("launch", "if 'wanted': 1, then", "then"));
}

// A capture of another stream has nothing of it.
TEST_P(CapturedDecisions, WhatIsNotWantedIsNoRegion) {
  const GraphExec exec = counting().instantiate(device());
  const Stream other = device().stream("other");
  set(x, 12);
  const Trace trace = captured(
      [&] {
        run(exec);
        mad(other, z, 1, 1);
        other.synchronize();
      },
      {.stream = other});
  EXPECT_THAT(trace.regions(), SizeIs(0));
  EXPECT_THAT(trace.commands(), SizeIs(1));
}

// What a program does about errors, it does while it is captured, too.
TEST_P(CapturedDecisions, ErrorsComeOutOfTheNextWaitAndStopNoOtherLaunch) {
  Graph graph;
  add_mad(graph, y, 1, 1);
  graph.add_switch(flag, std::vector<Graph>{mad_graph(y, 1, 10)}, {.label = "which"});
  graph.add_host_call([] { throw std::runtime_error("no idea"); }, {.label = "calls"});
  graph.add_if(flag, mad_graph(y, 1, 1000), mad_graph(y, 1, 100));
  const GraphExec exec = graph.instantiate(device());
  const Trace trace = captured([&] {
    set(flag, 7);
    exec.launch(stream);
    stream.write(flag, words(0));
    exec.launch(stream);
    expect_error(Code::invalid_argument, {"'which'"}, [&] { stream.synchronize(); });
    const TimedLaunch timed = exec.launch_timed(stream);
    expect_error(Code::host_call_failed, {"'calls'"}, [&] { timed.wait(); });
    stream.synchronize();
    EXPECT_EQ(first(y), 1u + 111u + 111u);
  });
  EXPECT_EQ(replay(trace, device()).verdict(), Verdict::equal);
}

// What is given after a wait comes after what was waited for, on whichever stream.
TEST_P(CapturedDecisions, AWaitThatEndsInAnErrorIsAWait) {
  const Stream other = device().stream("other");
  const GraphExec exec = mad_graph(y, 2, 1).instantiate(device());
  const Trace trace = captured([&] {
    for (int i = 0; i < 3; ++i) {
      const Event event = device().event("after");
      mad(stream, y, 1, 1);
      stream.host_call([] { throw std::runtime_error("no idea"); }, "calls");
      stream.record(event);
      expect_error(Code::host_call_failed, {"'calls'"},
                   [&] { i == 0 ? stream.synchronize() : event.synchronize(); });
      exec.launch_timed(other).wait();
    }
    EXPECT_EQ(stream.read_now<std::uint32_t>(y).front(), 21u);
  });
  const ReplayReport report = replay(trace, device());
  EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
}

}  // namespace
}  // namespace reel::test
