// Graphs that decide: what runs, how it is changed, told, saved and recorded.
#include <gmock/gmock.h>

#include "decisions/pick.hpp"
#include "recording/captured.hpp"
#include "reel/replay.hpp"
#include "replay/told.hpp"

namespace reel::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Decisions = DecidingTest;
INSTANTIATE_TEST_SUITE_P(Each, Decisions, every_way_to_decide(), device_name);

TEST_P(Decisions, AnIfTakesTheBranchThatAKernelOfTheSameLaunchChose) {
  Graph graph;
  add_pick(graph, x, flag, 2);
  graph.add_if(flag, mad_graph(y, 1, 10), mad_graph(y, 1, 200));
  add_mad(graph, y, 3, 0);  // after either
  const GraphExec exec = graph.instantiate(device());
  set(x, 5);
  run(exec);
  EXPECT_EQ(first(y), 30u);
  set(x, 4);
  set(y, 0);
  run(exec);
  EXPECT_EQ(first(y), 600u);
}

TEST_P(Decisions, AnIfWithoutElseMayDoNothing) {
  Graph graph;
  graph.add_if(flag.range(4, 4), mad_graph(y, 1, 7));
  const GraphExec exec = graph.instantiate(device());
  run(exec);
  EXPECT_EQ(first(y), 0u);
  set(flag, 9);
  run(exec);
  EXPECT_EQ(first(y), 7u);
}

TEST_P(Decisions, AWhileGoesOnUntilItsBodySaysSo) {
  Graph body, graph;
  add_mad(body, y, 2, 1);
  count_down(body, flag);
  add_pick(graph, x, flag, 10);
  graph.add_while(flag, body);
  add_mad(graph, y, 1, 1000);
  const GraphExec exec = graph.instantiate(device());
  for (const std::uint32_t rounds : {5u, 0u, 1u}) {
    set(x, rounds);
    set(y, 0);
    run(exec);
    EXPECT_EQ(first(y), (1u << rounds) - 1 + 1000);
  }
}

TEST_P(Decisions, ASwitchTakesTheBranchThatIsNumbered) {
  const std::vector<Graph> branches{mad_graph(y, 1, 1), mad_graph(y, 1, 20), mad_graph(y, 1, 300)};
  Graph graph;
  graph.add_switch(flag, branches);
  const GraphExec exec = graph.instantiate(device());
  for (const std::uint32_t number : {2u, 0u, 1u, 2u}) {
    set(flag, number);
    run(exec);
  }
  EXPECT_EQ(first(y), 621u);
}

TEST_P(Decisions, ARepeatRunsAsOftenAsItSays) {
  Graph graph;
  graph.add_repeat(0, mad_graph(y, 0, 77));
  graph.add_repeat(6, mad_graph(y, 2, 1));
  run(graph.instantiate(device()));
  EXPECT_EQ(first(y), 63u);
}

TEST_P(Decisions, AFunctionOfTheHostSeesWhatTheGraphRead) {
  std::uint32_t seen = 0;
  Graph body, graph;
  add_mad(body, y, 1, 1);
  body.add_read(y.range(0, 4), std::span(&seen, 1));
  graph.add_while([&] { return std::uint32_t{seen < 4}; }, body, {.label = "four"});
  const GraphExec exec = graph.instantiate(device());
  run(exec);
  EXPECT_EQ(first(y), 4u);
  EXPECT_THAT(graph.describe(node(0)), HasSubstr("'four' (while of 2)"));
}

TEST_P(Decisions, StandInEachOtherAndInChildren) {
  Graph inner, middle, child, graph;
  add_mad(inner, y, 1, 1);
  count_down(inner, flag);
  add_pick(middle, x, flag, 100);
  middle.add_while(flag, inner);
  child.add_repeat(3, middle);
  graph.add_child(child);
  set(x, 4);
  run(graph.instantiate(device()));
  EXPECT_EQ(first(y), 12u);
}

TEST_P(Decisions, OrderCountsWhatAnyBranchTouches) {
  Graph graph;
  const NodeId before = add_mad(graph, z, 1, 5);
  const NodeId decision = graph.add_if(flag, mad_graph(y, 1, 1), mad_graph(z, 2, 0));
  const NodeId after = add_mad(graph, y, 1, 1);
  const NodeId apart = add_mad(graph, w, 1, 1);
  const std::vector<Edge> hazards = graph.hazards();
  EXPECT_TRUE(has_edge(hazards, before, decision));
  EXPECT_TRUE(has_edge(hazards, decision, after));
  EXPECT_FALSE(has_edge(hazards, decision, apart));
  const std::vector<GraphBuffer> buffers = graph.buffers();
  ASSERT_EQ(buffers.size(), 4u);
  EXPECT_EQ(buffers[1].name, "flag");
  EXPECT_TRUE(buffers[1].is_input);
  EXPECT_FALSE(buffers[1].is_output);
}

// What a branch writes may not have been written.
TEST_P(Decisions, WhatOnlyABranchWritesIsStillAnInputOfWhoReadsItLater) {
  Graph branch, graph;
  branch.add_fill(y, std::uint32_t{1});
  graph.add_if(flag, branch);
  graph.add_copy(z, y);
  const auto is_input = [](const Graph& of, std::string_view name) {
    for (const GraphBuffer& buffer : of.buffers())
      if (buffer.name == name) return buffer.is_input;
    return false;
  };
  EXPECT_TRUE(is_input(graph, "y"));
  Graph surely;
  surely.add_repeat(1, branch);
  surely.add_copy(z, y);
  EXPECT_FALSE(is_input(surely, "y"));
}

TEST_P(Decisions, ParametersOfABranchChangeForLaterLaunches) {
  Graph graph;
  const NodeId decision = graph.add_if(flag, mad_graph(y, 1, 1), mad_graph(y, 1, 20));
  GraphExec exec = graph.instantiate(device());
  set(flag, 1);
  exec.branch(decision, 0).set_argument(node(0), 2, std::uint32_t{5});
  GraphExec clone = exec.clone();
  exec.branch(decision, 0).bind(node(0), 0, w);
  run(exec);
  EXPECT_EQ(first(y), 0u);
  EXPECT_EQ(first(w), 5u);
  run(clone);
  EXPECT_EQ(first(y), 5u);
  exec.branch(decision, 0).set_enabled(node(0), false);
  run(exec);
  EXPECT_EQ(first(w), 5u);
  exec.set_enabled(decision, false);
  set(flag, 0);
  run(exec);
  EXPECT_EQ(first(y), 5u);
  // The graph tells of all of it.
  const auto& branch = *exec.graph().node(decision).decision()->branches[0];
  EXPECT_EQ(std::get<Dispatch>(branch.node(node(0)).command.work).arguments[0].range.buffer,
            w.range(0, 4).buffer);
}

TEST_P(Decisions, BindingByNameReachesConditionsAndBranches) {
  Graph graph;
  add_mad(graph, y, 1, 1);
  graph.add_if(flag, mad_graph(y, 1, 10));
  GraphExec exec = graph.instantiate(device());
  const Buffer other = make("other");
  set(other, 1);
  exec.bind({{"flag", other}, {"y", w}});
  run(exec);
  EXPECT_EQ(first(w), 11u);
  EXPECT_EQ(first(y), 0u);
}

TEST_P(Decisions, ABufferThatTheRestNamesIsRefusedInABranch) {
  Graph graph;
  add_mad(graph, z, 1, 1);
  const NodeId decision = graph.add_if(flag, mad_graph(y, 1, 10));
  GraphExec exec = graph.instantiate(device());
  expect_error(Code::invalid_argument, {"'z' is named elsewhere"},
               [&] { exec.branch(decision, 0).bind(node(0), 0, z); });
}

TEST_P(Decisions, AnUpdateTakesOverBranchesOrSaysWhyNot) {
  const auto graph_of = [&](std::uint32_t add, std::uint64_t rounds) {
    Graph graph;
    graph.add_if(flag, mad_graph(y, 1, add));
    graph.add_repeat(rounds, mad_graph(z, 1, add));
    return graph;
  };
  GraphExec exec = graph_of(1, 2).instantiate(device());
  EXPECT_EQ(why(exec.update(graph_of(50, 3))), "");
  set(flag, 1);
  run(exec);
  EXPECT_EQ(first(y), 50u);
  EXPECT_EQ(first(z), 150u);
  Graph branch_of_two = mad_graph(y, 1, 1), other;
  add_mad(branch_of_two, w, 1, 1);
  other.add_if(flag, branch_of_two);
  other.add_repeat(2, mad_graph(z, 1, 1));
  EXPECT_THAT(why(exec.update(other)), HasSubstr("n0 then node_count: 1 -> 2"));
  Graph kinds;
  kinds.add_while(flag, mad_graph(y, 1, 1));
  kinds.add_repeat(2, mad_graph(z, 1, 1));
  EXPECT_THAT(why(exec.update(kinds)), HasSubstr("n0 kind: if -> while"));
  // Of one branch, with the order of the whole in mind.
  EXPECT_EQ(why(exec.branch(node(0), 0).update(mad_graph(y, 1, 7))), "");
  EXPECT_THAT(why(exec.branch(node(0), 0).update(mad_graph(z, 1, 7))), HasSubstr("edges"));
  set(y, 0);
  run(exec);
  EXPECT_EQ(first(y), 7u);
}

TEST_P(Decisions, TimesTellOfEveryNodeThatRan) {
  Graph graph;
  add_mad(graph, y, 1, 1);
  graph.add_repeat(3, mad_graph(y, 1, 1));
  add_mad(graph, y, 1, 1);
  const GraphExec exec = graph.instantiate(device());
  std::vector<std::size_t> nodes;
  for (const NodeTime& time : exec.launch_timed(stream).wait())
    nodes.push_back(index_of(time.node));
  EXPECT_THAT(nodes, ElementsAre(0, 1, 1, 1, 2));
}

// Vulkan skips what isn't taken, PoCL runs it all in one native kernel, and the host just branches.
TEST_P(Decisions, AreLoweredAsLoweringTells) {
  Graph body, graph, asks, odd;
  add_mad(body, y, 1, 1);
  count_down(body, flag);
  add_mad(graph, y, 1, 1);
  graph.add_while(flag, body);
  const std::string by_device = graph.instantiate(device()).lowering();
  const std::string_view way = GetParam();
  EXPECT_THAT(by_device,
              HasSubstr(way == "vulkan" ? "1 decision taken by the device, by conditional rendering"
                        : way == "vulkan_indirect"
                            ? "1 decision taken by the device, by indirect dispatches"
                        : way == "opencl" ? "inside one native kernel"
                                          : "by a thread of the stream"));
  asks.add_if([] { return 1u; }, body);
  EXPECT_THAT(asks.instantiate(device()).lowering(),
              HasSubstr("1 decision taken by a thread of the stream"));
  if (way == "vulkan_split") {
    EXPECT_THAT(by_device, HasSubstr("REEL_VULKAN_DECISIONS is 'split'"));
  }
  if (way != "vulkan" && way != "vulkan_indirect") return;
  EXPECT_THAT(asks.instantiate(device()).lowering(), HasSubstr("asks a function"));
  odd.add_fill(y.range(1, 2), std::uint8_t{1});
  Graph bytes, nested;
  bytes.add_if(flag, odd);
  EXPECT_THAT(bytes.instantiate(device()).lowering(), HasSubstr("not of whole words"));
  nested.add_if(flag, graph);
  nested.add_switch(flag, std::vector<Graph>{graph});
  EXPECT_THAT(nested.instantiate(device()).lowering(),
              AllOf(HasSubstr("2 decisions taken by the device"), Not(HasSubstr("by a thread"))));
}

// More rounds than a device takes at once, in the middle of others.
TEST_P(Decisions, ALoopWithinOthersGoesOnAsLongAsItsCondition) {
  Graph body, inner, graph;
  const Buffer left = make("left");
  add_mad(body, y, 1, 1);
  count_down(body, left);
  add_mix(inner, flag, flag, left, 20);  // 21 times the flag
  inner.add_while(left, body, {.label = "inner"});
  inner.add_switch(left, std::vector<Graph>{mad_graph(z, 1, 1)});
  count_down(inner, flag);
  Graph twice;
  twice.add_fill(flag, std::uint32_t{3});
  twice.add_while(flag, inner, {.label = "outer"});
  graph.add_repeat(2, twice);
  add_mad(graph, w, 1, 1);
  const GraphExec exec = graph.instantiate(device());
  for (std::uint32_t launch = 1; launch <= 2; ++launch) {
    run(exec);
    EXPECT_EQ(first(y), launch * 2 * 21 * (3 + 2 + 1));
    EXPECT_EQ(first(z), launch * 2 * 3);
    EXPECT_EQ(first(w), launch);
  }
}

// The grid is written by the branch itself, in each round another one.
TEST_P(Decisions, AnIndirectDispatchInABranchReadsItsGridWhenItRuns) {
  if (!info().can_dispatch_indirect) return;
  const Buffer groups = make("groups"), ones = make("ones");
  auto capture = StreamCapture::begin(stream);
  mad(stream, groups.range(0, 4), 1, 1);
  stream.dispatch_indirect(mad_kernel, groups.range(0, 12), {.group_size = {64}}, inout(y), 1u, 1u,
                           word_count);
  stream.dispatch(pick_kernel, {.groups = {1}, .group_size = {64}}, in(x), inout(flag), 0u);
  const Graph body = capture.end();
  Graph loop, graph;
  loop.add_copy(groups, ones);
  loop.add_while(flag, body);
  graph.add_if(flag, loop);
  const GraphExec exec = graph.instantiate(device());
  ones.write(Words{0, 1, 1});
  run(exec);  // nothing
  EXPECT_EQ(contents(y), words(0));
  set(flag, 3);
  run(exec);  // 1, 2 and 3 groups
  Words expected = words(0);
  for (std::uint32_t i = 0; i < 3 * 64; ++i) expected[i] = 3 - i / 64;
  EXPECT_EQ(contents(y), expected);
}

TEST_P(Decisions, ComeBackFromAFile) {
  Graph body, graph;
  add_mad(body, y, 2, 1);
  count_down(body, flag);
  add_pick(graph, x, flag, 10);
  graph.add_while(flag, body, {.label = "loop"}, {.iterations = 12});
  graph.add_switch(flag, std::vector<Graph>{mad_graph(z, 1, 3), mad_graph(z, 1, 4)});
  graph.add_repeat(2, mad_graph(z, 10, 1));
  graph.add_if(flag.range(8, 4), mad_graph(z, 1, 1), mad_graph(w, 1, 1));
  const ScratchFolder folder;
  graph.save(folder.path());
  const Graph loaded = Graph::load(folder.path());
  EXPECT_EQ(loaded.node_count(), graph.node_count());
  EXPECT_EQ(loaded.describe(node(1)), "n1 'loop' (while of 2)");
  EXPECT_EQ(loaded.node(node(1)).decision()->limits.iterations, 12u);
  set(x, 3);
  run(loaded.instantiate(device(),
                         {.buffers = {{"x", x}, {"y", y}, {"flag", flag}, {"z", z}, {"w", w}}}));
  EXPECT_EQ(first(y), 7u);
  EXPECT_EQ(first(z), 311u);
  EXPECT_EQ(first(w), 1u);
}

TEST_P(Decisions, AreDrawnWithTheirBranches) {
  Graph graph;
  graph.add_if(flag, mad_graph(y, 1, 1), mad_graph(y, 2, 1), {.label = "either"});
  EXPECT_THAT(graph.to_dot(),
              AllOf(HasSubstr("shape=diamond"), HasSubstr("if flag"), HasSubstr("then of n0"),
                    HasSubstr("n0 -> n0b1_n0"), HasSubstr("\"else\"")));
  EXPECT_THAT(graph.to_json(), AllOf(HasSubstr("\"kind\":\"if\""), HasSubstr("\"branches\":[{")));
}

TEST_P(Decisions, AreDrawnWithHowOftenTheyRun) {
  Graph graph;
  graph.add_repeat(6, mad_graph(y, 1, 1));
  graph.add_while(flag, mad_graph(y, 1, 1), {}, {.iterations = 12});
  graph.add_while(flag, mad_graph(y, 1, 1), {},
                  {.iterations = 0, .time = std::chrono::milliseconds(7)});
  graph.add_while(flag, mad_graph(y, 1, 1), {},
                  {.iterations = 0, .time = std::chrono::milliseconds(0)});
  EXPECT_THAT(graph.to_dot(), AllOf(HasSubstr("repeat 6"), HasSubstr("\"body of n0, 6 times\""),
                                    HasSubstr("\"body of n1, at most 12 rounds or 60000 ms\""),
                                    HasSubstr("\"body of n2, at most 7 ms\""),
                                    HasSubstr("\"body of n3, without a limit\"")));
}

TEST_P(Decisions, ACaptureTellsWhatRanAndWhy) {
  Graph body, graph;
  add_mad(body, y, 2, 1);
  count_down(body, flag);
  add_pick(graph, x, flag, 10);
  graph.add_while(flag, body, {.label = "loop"});
  graph.add_if(flag, mad_graph(y, 0, 0), {.label = "reset"});
  set(x, 2);
  const GraphExec exec = graph.instantiate(device());
  const Trace trace = captured([&] { run(exec); }, {.contents = Contents::all});
  EXPECT_EQ(first(y), 3u);
  std::vector<std::string> decisions;
  std::size_t dispatches = 0;
  for (const TraceCommand& command : trace.commands()) {
    const TraceWork& work = trace.work_of(command);
    dispatches += work.kind == WorkKind::dispatch;
    if (work.kind == WorkKind::read) decisions.emplace_back(trace.text(work.label));
  }
  EXPECT_EQ(dispatches, 5u);
  EXPECT_THAT(decisions, ElementsAre("while 'loop': 2, round 0", "while 'loop': 1, round 1",
                                     "while 'loop': 0, done", "if 'reset': 0, not taken"));
  const ReplayReport report = replay(trace, device());
  EXPECT_EQ(report.verdict(), Verdict::equal);
  EXPECT_GT(report.checks, 0u);
}

TEST_P(Decisions, ALaunchThatRunsNothingIsADocumentWithoutCommands) {
  Graph graph;
  graph.add_repeat(0, mad_graph(y, 1, 1));
  const GraphExec exec = graph.instantiate(device());
  const Trace trace = captured([&] { run(exec); });
  EXPECT_EQ(trace.commands().size(), 0u);
  for (const ReplayOrder order : every_order)
    EXPECT_EQ(replay(trace, device(), {.order = order}).verdict(), Verdict::not_proved);
}

TEST_P(Decisions, ALaunchUnderStreamCaptureBecomesAChildThatDecides) {
  Graph graph;
  graph.add_if(flag, mad_graph(y, 1, 5));
  const GraphExec exec = graph.instantiate(device());
  StreamCapture capture = StreamCapture::begin(stream);
  exec.launch(stream);
  mad(stream, y, 2, 0);
  const Graph whole = std::move(capture).end();
  set(flag, 1);
  run(whole.instantiate(device()));
  EXPECT_EQ(first(y), 10u);
}

TEST_P(Decisions, StandBetweenWhatComesBeforeAndAfterOnTheStream) {
  Graph graph;
  graph.add_if(flag, mad_graph(y, 2, 1));
  const GraphExec exec = graph.instantiate(device());
  for (int i = 0; i < 5; ++i) {
    mad(stream, flag, 0, 1);
    mad(stream, y, 3, 0);
    exec.launch(stream);
    mad(stream, y, 1, 1);
  }
  stream.synchronize();
  std::uint32_t expected = 0;
  for (int i = 0; i < 5; ++i) expected = expected * 3 * 2 + 1 + 1;
  EXPECT_EQ(first(y), expected);
}

}  // namespace
}  // namespace reel::test
