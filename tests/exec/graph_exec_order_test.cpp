// In which order a launch runs its nodes, where it needs barriers, and when each node ran.
#include "stream_test.hpp"

namespace reel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::SizeIs;

class GraphExecOrder : public StreamTest {};
INSTANTIATE_TEST_SUITE_P(Each, GraphExecOrder, every_device(), device_name);

// Every edge of the graph goes forwards in `order`, and each node is there once.
void expect_topological(const Graph& graph, const std::vector<NodeId>& order) {
  ASSERT_EQ(order.size(), graph.node_count());
  std::vector<std::size_t> place(graph.node_count(), graph.node_count());
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_EQ(place[index_of(order[i])], graph.node_count()) << "a node twice";
    place[index_of(order[i])] = i;
  }
  for (const Edge& edge : graph.hazards())
    EXPECT_LT(place[index_of(edge.from)], place[index_of(edge.to)]);
  for (const Edge& edge : graph.dependencies()) {
    if (edge.kind == EdgeKind::stream) continue;  // may be relaxed
    EXPECT_LT(place[index_of(edge.from)], place[index_of(edge.to)]);
  }
}

TEST_P(GraphExecOrder, AskedDependenciesOrderWhatHazardsDoNot) {
  Graph graph;
  std::vector<int> order;
  const NodeId late = graph.add_host_call([&] { order.push_back(1); });
  const NodeId early = graph.add_host_call([&] { order.push_back(2); });
  graph.add_dependency(early, late);
  const GraphExec exec = graph.instantiate(device());
  EXPECT_THAT(exec.execution_order(), ElementsAre(early, late));
  exec.launch(stream);
  stream.synchronize();
  EXPECT_THAT(order, ElementsAre(2, 1));
}

TEST_P(GraphExecOrder, TheExecutionOrderIsATopologicalOrder) {
  Graph graph;
  for (std::uint32_t i = 0; i < 10; ++i) {
    add_mad(graph, x, 2, i);
    add_mad(graph, y, 3, i);
    add_mix(graph, x, y, z, i);
    graph.add_copy(w.range(16 * i, 16), z.range(32 * i, 16));
  }
  for (const bool reorder : {false, true})
    for (const bool relax : {false, true}) {
      const GraphExec exec =
          graph.instantiate(device(), {.relax_order = relax, .reorder = reorder});
      expect_topological(graph, exec.execution_order());
    }
}

TEST_P(GraphExecOrder, CountsABarrierForEachStepOfAChainAndNoneForIndependentNodes) {
  Graph chain, independent;
  for (std::uint32_t i = 0; i < 4; ++i) {
    add_mad(chain, x, 2, i);
    independent.add_fill(y.range(64 * i, 64), static_cast<std::uint8_t>(i));
  }
  EXPECT_EQ(chain.instantiate(device()).barrier_count(), 3u);
  EXPECT_EQ(independent.instantiate(device()).barrier_count(), 0u);
}

TEST_P(GraphExecOrder, ReorderingNeedsFewerBarriers) {
  Graph graph;  // two chains, one after the other
  for (const Buffer& buffer : {x, y})
    for (std::uint32_t i = 0; i < 8; ++i) add_mad(graph, buffer, 2, i);
  const GraphExec in_order = graph.instantiate(device(), {.reorder = false});
  const GraphExec reordered = graph.instantiate(device(), {.reorder = true});
  EXPECT_EQ(reordered.barrier_count(), 7u);
  EXPECT_EQ(in_order.barrier_count(), 14u);
  in_order.launch(stream);
  stream.synchronize();
  const Words expected = contents(x);
  stream.fill(x, 0u);
  stream.fill(y, 0u);
  reordered.launch(stream);
  stream.synchronize();
  EXPECT_EQ(contents(x), expected);
  EXPECT_EQ(contents(y), expected);
}

TEST_P(GraphExecOrder, RelaxingDropsStreamOrderThatNoHazardNeeds) {
  auto capture = StreamCapture::begin(stream);
  for (const Buffer& buffer : {x, y, z, w}) mad(stream, buffer, 2, 1);
  const Graph graph = capture.end();
  EXPECT_EQ(graph.instantiate(device(), {.relax_order = true}).barrier_count(), 0u);
  EXPECT_EQ(graph.instantiate(device(), {.relax_order = false}).barrier_count(), 3u);
}

TEST_P(GraphExecOrder, ATimedLaunchGivesATimeForEachNode) {
  if (!info().can_stamp_time) GTEST_SKIP() << "no time stamps here";
  Graph graph;
  add_mad(graph, x, 2, 1);
  graph.add_copy(y, x);
  add_mad(graph, z, 2, 1);  // independent
  add_mix(graph, y, z, w, 3);
  graph.add_fill(y, std::uint8_t{1});
  const GraphExec exec = graph.instantiate(device());
  for (int launch = 0; launch < 3; ++launch) {
    const std::vector<NodeTime> times = exec.launch_timed(stream).wait();
    ASSERT_THAT(times, SizeIs(5));
    std::vector<const NodeTime*> of(5, nullptr);
    for (const NodeTime& time : times) {
      EXPECT_LE(time.begin_ns, time.end_ns);
      EXPECT_GT(time.begin_ns, 0u);
      of.at(index_of(time.node)) = &time;
    }
    EXPECT_THAT(of, Not(testing::Contains(nullptr)));
    for (const Edge& edge : graph.edges())
      EXPECT_LE(of[index_of(edge.from)]->end_ns, of[index_of(edge.to)]->begin_ns)
          << graph.describe(edge.from) << " before " << graph.describe(edge.to);
  }
  stream.synchronize();
  EXPECT_EQ(contents(w), words(3 * 7 + 7)) << "timed launches run the same work";
}

TEST_P(GraphExecOrder, TimesOfTwoLaunchesFollowEachOther) {
  if (!info().can_stamp_time) GTEST_SKIP() << "no time stamps here";
  Graph graph;
  add_mad(graph, x, 2, 1);
  const GraphExec exec = graph.instantiate(device());
  const TimedLaunch first = exec.launch_timed(stream), second = exec.launch_timed(stream);
  const auto later = second.wait(), earlier = first.wait();  // asked for in any order
  ASSERT_THAT(earlier, SizeIs(1));
  ASSERT_THAT(later, SizeIs(1));
  EXPECT_LE(earlier[0].end_ns, later[0].begin_ns);
}

}  // namespace
}  // namespace reel::test
