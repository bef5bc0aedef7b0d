// Which buffers a graph names, and what it does to them.
#include "graph/graph_buffers.hpp"

#include "base/handles.hpp"
#include "fixtures.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "x in out 64": one buffer of the list.
std::vector<std::string> texts(const Graph& graph) {
  std::vector<std::string> list;
  for (const GraphBuffer& b : graph.buffers())
    list.push_back(b.name + (b.is_input ? " in" : "") + (b.is_output ? " out" : "") + " " +
                   std::to_string(b.size_bytes));
  return list;
}

TEST(GraphBuffers, AreListedByFirstUseWithWhatIsReadAndWritten) {
  const Buffer a = make_buffer("a"), b = make_buffer("b", 32), c = make_buffer("c"),
               d = make_buffer("d");
  Graph graph;
  graph.add_fill(b, std::uint8_t{0});
  graph.add_dispatch(make_kernel("add"), one_group, in(b), in(a), inout(c));
  graph.add_copy(d, c);
  EXPECT_THAT(texts(graph), ElementsAre("b out 32", "a in 64", "c in out 64", "d out 64"));
}

TEST(GraphBuffers, WhatAKernelIsGivenByOutIsAnOutputAlone) {
  const Buffer a = make_buffer("a"), b = make_buffer("b");
  Graph graph;
  graph.add_dispatch(make_kernel("k"), one_group, out(a));
  graph.add_fill(b, std::uint8_t{0});
  graph.add_dispatch(make_kernel("k"), one_group, out(b));
  EXPECT_THAT(texts(graph), ElementsAre("a out 64", "b out 64"));
}

TEST(GraphBuffers, ABufferWrittenInPartIsStillAnInputWhereMoreIsRead) {
  const Buffer half = make_buffer("half"), whole = make_buffer("whole"), to = make_buffer("to");
  Graph graph;
  graph.add_fill(half.range(0, 32), std::uint8_t{1});
  graph.add_copy(to, half);
  graph.add_fill(whole.range(0, 32), std::uint8_t{1});
  graph.add_fill(whole.range(32, 32), std::uint8_t{1});
  graph.add_copy(to, whole);
  EXPECT_THAT(texts(graph), ElementsAre("half in out 64", "to out 64", "whole out 64"));
}

// A switch without a case for a number ends its launch, a while may run no round.
TEST(GraphBuffers, WhatEveryBranchWritesIsNoInput) {
  const Buffer flag = make_buffer("flag"), x = make_buffer("x"), to = make_buffer("to");
  Graph whole, half;
  whole.add_fill(x, std::uint8_t{1});
  half.add_fill(x.range(0, 32), std::uint8_t{2});
  const auto reads_it_later = [&](auto&& decide) {
    Graph graph;
    decide(graph);
    graph.add_copy(to, x);
    for (const GraphBuffer& b : graph.buffers())
      if (b.name == "x") return b.is_input;
    return false;
  };
  EXPECT_FALSE(reads_it_later([&](Graph& g) { g.add_if(flag, whole, whole); }));
  EXPECT_FALSE(reads_it_later([&](Graph& g) {
    g.add_switch(flag, std::vector{whole, whole, whole});
  }));
  EXPECT_FALSE(reads_it_later([&](Graph& g) { g.add_repeat(1, whole); }));
  EXPECT_TRUE(reads_it_later([&](Graph& g) { g.add_repeat(0, whole); }));
  EXPECT_TRUE(reads_it_later([&](Graph& g) { g.add_if(flag, whole, half); }));
  EXPECT_TRUE(reads_it_later([&](Graph& g) { g.add_if(flag, whole); }));
  EXPECT_TRUE(reads_it_later([&](Graph& g) { g.add_while(flag, whole); }));
}

TEST(GraphBuffers, OrderCountsNotThePlaceInTheList) {
  const Buffer a = make_buffer("a"), b = make_buffer("b");
  Graph graph;
  const NodeId copy = graph.add_copy(b, a);
  const NodeId fill = graph.add_fill(a, std::uint8_t{1});
  graph.add_dependency(fill, copy);
  EXPECT_THAT(texts(graph), ElementsAre("a out 64", "b out 64"));
}

TEST(GraphBuffers, ChildGraphsCountWhereTheyStand) {
  const Buffer a = make_buffer("a"), b = make_buffer("b");
  Graph child;
  child.add_copy(b, a);
  Graph graph;
  graph.add_fill(a, std::uint8_t{1});
  graph.add_child(child);
  EXPECT_THAT(texts(graph), ElementsAre("a out 64", "b out 64"));
}

TEST(GraphBuffers, EmptyAndSharedLabelsBecomeNamesOfTheirOwn) {
  Graph graph;
  for (const char* label : {"x", "", "x", "x#2", "y", "buffer 6", ""})
    graph.add_fill(make_buffer(label), std::uint8_t{0});
  std::vector<std::string> names;
  for (const GraphBuffer& b : graph.buffers()) names.push_back(b.name);
  EXPECT_THAT(names, ElementsAre("x#1", "buffer 1", "x#3", "x#2", "y", "buffer 6", "buffer 6#1"));
}

TEST(GraphBuffers, OthersCanStandInForThem) {
  const Buffer a = make_buffer("a"), b = make_buffer("b"), other = make_buffer("other", 128);
  Graph child;
  child.add_fill(a.range(8, 8), std::uint8_t{1}, {.label = "fill"});
  Graph graph;
  graph.add_dispatch(make_kernel("k"), one_group, in(a), out(b), 7u);
  graph.add_copy(b, a);
  graph.add_child(child, {.label = "child"});
  const Graph changed = with_buffers(graph, [&](const BufferResource& buffer) -> StandIn {
    return {&buffer == resource_of(a).get() ? resource_of(other) : nullptr};
  });
  EXPECT_THAT(texts(changed), ElementsAre("other in out 128", "b out 64"));
  EXPECT_THAT(texts(graph), ElementsAre("a in out 64", "b out 64"));
  ASSERT_EQ(changed.node_count(), 3u);
  EXPECT_EQ(changed.node(node(2)).command.label, "child");
  const auto& fill = std::get<Fill>(changed.node(node(2)).child()->node(node(0)).command.work);
  EXPECT_EQ(fill.target.buffer, resource_of(other).get());
  EXPECT_EQ(fill.target.offset_bytes, 8u);
}

TEST(ManyDependencies, AreAddedWithTheirKinds) {
  Graph graph;
  for (int i = 0; i < 4; ++i) graph.add_barrier();
  const std::vector<Edge> edges{{node(2), node(0)},
                                {node(0), node(1), EdgeKind::stream},
                                {node(2), node(3), EdgeKind::asked}};
  graph.add_dependencies(edges);
  EXPECT_THAT(graph.dependencies(), testing::ElementsAreArray(edges));
  EXPECT_THAT(graph.topological_order(), ElementsAre(node(2), node(0), node(1), node(3)));
}

TEST(ManyDependencies, AreRefusedTogether) {
  Graph graph;
  for (int i = 0; i < 4; ++i) graph.add_barrier();
  graph.add_dependency(node(0), node(1));
  const auto refused = [&](std::vector<Edge> edges) {
    return refusal([&] { graph.add_dependencies(edges); });
  };
  EXPECT_THAT(refused({{node(0), node(2)}, {node(0), node(4)}}), HasSubstr("has 4 nodes"));
  EXPECT_THAT(refused({{node(2), node(2)}}), HasSubstr("itself"));
  EXPECT_THAT(refused({{node(0), node(1)}}), HasSubstr("n0 to n1 is there twice"));
  EXPECT_THAT(refused({{node(2), node(3)}, {node(2), node(3), EdgeKind::stream}}),
              HasSubstr("n2 to n3 is there twice"));
  EXPECT_THAT(refused({{node(0), node(2), EdgeKind::hazard}}), HasSubstr("is a hazard"));
  EXPECT_THAT(refused({{node(3), node(0)}, {node(1), node(2)}, {node(2), node(3)}}),
              HasSubstr(" → "));
  EXPECT_EQ(graph.dependencies().size(), 1u);
}

TEST(GraphReplace, AChildIsReplacedByAnotherAndNothingElseIs) {
  Graph child, other;
  child.add_barrier();
  Graph graph;
  graph.add_barrier();
  graph.add_child(child, {.label = "c"});
  other.add_barrier();
  other.add_barrier();
  graph.replace(node(1), other);
  EXPECT_EQ(graph.node(node(1)).child()->node_count(), 2u);
  EXPECT_EQ(graph.node(node(1)).command.label, "c");
  EXPECT_THAT(refusal([&] { graph.replace(node(0), other); }), HasSubstr("is a command"));
}

}  // namespace
}  // namespace reel::test
