#include "graph/fixtures.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Nodes that touch nothing in common.
Graph independent(std::size_t count) {
  Graph graph;
  for (std::size_t i = 0; i < count; ++i) graph.add_fill(make_buffer("b"), std::uint8_t{0});
  return graph;
}

TEST(GraphOrder, IsStable) {
  Graph graph = independent(5);
  EXPECT_THAT(graph.topological_order(), ElementsAre(node(0), node(1), node(2), node(3), node(4)));
  graph.add_dependency(node(3), node(1));
  EXPECT_THAT(graph.topological_order(), ElementsAre(node(0), node(2), node(3), node(1), node(4)));
}

TEST(GraphOrder, LevelsNeedOnlyEarlierLevels) {
  const Buffer x = make_buffer("x"), y = make_buffer("y");
  Graph graph;
  graph.add_fill(x, std::uint8_t{0});
  graph.add_fill(y, std::uint8_t{0});
  graph.add_copy(y, x);
  graph.add_fill(make_buffer("z"), std::uint8_t{0});
  EXPECT_THAT(graph.levels(),
              ElementsAre(ElementsAre(node(0), node(1), node(3)), ElementsAre(node(2))));
}

TEST(GraphOrder, TheCriticalPathIsTheDearest) {
  Graph graph = independent(4);
  graph.add_dependency(node(0), node(1));
  graph.add_dependency(node(1), node(3));
  graph.add_dependency(node(2), node(3));
  const CriticalPath by_count = graph.critical_path();
  EXPECT_THAT(by_count.nodes, ElementsAre(node(0), node(1), node(3)));
  EXPECT_EQ(by_count.length, 3);
  const CriticalPath by_cost =
      graph.critical_path([](NodeId id) { return id == node(2) ? 10.0 : 1.0; });
  EXPECT_THAT(by_cost.nodes, ElementsAre(node(2), node(3)));
  EXPECT_EQ(by_cost.length, 11);
  EXPECT_EQ(refusal([&] { graph.critical_path([](NodeId) { return -1.0; }); }),
            "The cost of n0 (fill) is -1; a cost can't be less than 0.");
}

TEST(GraphOrder, FreeNodesStillBelongToTheCriticalPath) {
  Graph graph = independent(2);
  graph.add_dependency(node(0), node(1));
  EXPECT_THAT(graph.critical_path([](NodeId) { return 0.0; }).nodes, SizeIs(testing::Ge(1u)));
}

TEST(GraphReduction, LeavesOutWhatIsImplied) {
  Graph graph = independent(4);
  graph.add_dependency(node(0), node(1));
  graph.add_dependency(node(1), node(2));
  graph.add_dependency(node(2), node(3));
  graph.add_dependency(node(0), node(2));
  graph.add_dependency(node(0), node(3));
  EXPECT_THAT(graph.reduced_edges(),
              ElementsAre(Edge{node(0), node(1)}, Edge{node(1), node(2)}, Edge{node(2), node(3)}));
}

TEST(GraphReduction, KeepsTheKindOfAnEdge) {
  const Buffer x = make_buffer("x");
  Graph graph;
  graph.add_fill(x, std::uint8_t{0});
  graph.add({Fill{x}}, {node(0)}, EdgeKind::stream);
  graph.add_fill(x, std::uint8_t{0});
  EXPECT_THAT(graph.reduced_edges(), ElementsAre(Edge{node(0), node(1), EdgeKind::stream},
                                                 Edge{node(1), node(2), EdgeKind::hazard}));
}

TEST(GraphReduction, LeavesChainsAndIndependentNodesAlone) {
  EXPECT_THAT(independent(1000).reduced_edges(), IsEmpty());
  const Buffer x = make_buffer("x");
  Graph chain;
  for (int i = 0; i < 1000; ++i) chain.add_fill(x, std::uint8_t{0});
  EXPECT_THAT(chain.reduced_edges(), SizeIs(999));
  EXPECT_THAT(chain.levels(), SizeIs(1000));
}

// Longer than a block of the reduction's bits, with implied edges that cross blocks.
TEST(GraphReduction, WorksAcrossBlocks) {
  constexpr std::size_t count = 10'000;
  const Buffer x = make_buffer("x");
  Graph graph;
  for (std::size_t i = 0; i < count; ++i) {
    graph.add_fill(x, std::uint8_t{0});
    if (i >= 5000) graph.add_dependency(node(i - 5000), node(i));
    if (i % 2 == 0 && i >= 7000) graph.add_dependency(node(i - 7000), node(i));
  }
  const std::vector<Edge> edges = graph.reduced_edges();
  EXPECT_THAT(edges, SizeIs(count - 1));
  for (const Edge& e : edges) ASSERT_EQ(index_of(e.from) + 1, index_of(e.to));
}

}  // namespace
}  // namespace reel::test
