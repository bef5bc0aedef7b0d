#include "graph/fixtures.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Edge hazard(std::size_t from, std::size_t to) { return {node(from), node(to), EdgeKind::hazard}; }

struct Hazards : testing::Test {
  Buffer x = make_buffer("x"), y = make_buffer("y"), z = make_buffer("z");
  Kernel kernel = make_kernel("k");
  Graph graph;

  template <class... A>
  NodeId dispatch(const A&... arguments) {
    return graph.add_dispatch(kernel, one_group, arguments...);
  }
};

TEST_F(Hazards, AReadWaitsForTheWrite) {
  dispatch(out(x));
  dispatch(in(x));
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 1)));
}

TEST_F(Hazards, AWriteWaitsForTheReadsSinceTheLastWrite) {
  dispatch(out(x));
  dispatch(in(x));
  dispatch(in(x));
  dispatch(out(x));  // 0 → 3 is implied by both reads
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 1), hazard(0, 2), hazard(1, 3), hazard(2, 3)));
}

TEST_F(Hazards, AWriteWaitsForAWrite) {
  graph.add_fill(x, std::uint8_t{0});
  graph.add_fill(x, std::uint8_t{1});
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 1)));
}

TEST_F(Hazards, TwoReadsNeverConflict) {
  dispatch(in(x), out(y));
  dispatch(in(x), out(z));
  EXPECT_THAT(graph.hazards(), IsEmpty());
}

TEST_F(Hazards, AnUnannotatedBufferIsReadAndWritten) {
  dispatch(x);
  dispatch(x);
  dispatch(in(x));
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 1), hazard(1, 2)));
}

TEST_F(Hazards, RangesAreHalfOpen) {
  graph.add_fill(x.range(0, 16), std::uint8_t{0});
  graph.add_fill(x.range(16, 16), std::uint8_t{0});
  graph.add_fill(x.range(15, 1), std::uint8_t{0});
  graph.add_fill(x.range(8, 0), std::uint8_t{0});  // nothing
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 2)));
}

TEST_F(Hazards, EachPieceRemembersItsOwnWriter) {
  graph.add_fill(x, std::uint8_t{0});
  graph.add_fill(x.range(16, 16), std::uint8_t{1});
  dispatch(in(x.range(0, 16)));
  dispatch(in(x.range(20, 4)));
  dispatch(in(x));
  graph.add_fill(x.range(24, 40), std::uint8_t{1});
  EXPECT_THAT(graph.hazards(), UnorderedElementsAre(hazard(0, 1), hazard(0, 2), hazard(1, 3),
                                                    hazard(0, 4), hazard(1, 4), hazard(4, 5)));
}

TEST_F(Hazards, ANodeDoesntWaitForItself) {
  dispatch(in(x), out(x), x.range(0, 8), in(x.range(4, 8)));
  EXPECT_THAT(graph.hazards(), IsEmpty());
  dispatch(in(x.range(60, 4)));
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 1)));
}

TEST_F(Hazards, EveryKindOfWorkTakesPart) {
  std::vector<std::byte> memory(64);
  graph.add_write(x, memory);
  graph.add_copy(y, x);
  graph.add_read(y, memory);
  graph.add_fill(y, std::uint8_t{0});
  graph.add({Dispatch{kernel, {}, {64}, {}, y.range(0, 12)}});
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 1), hazard(1, 2), hazard(2, 3), hazard(3, 4)));
}

TEST_F(Hazards, APredicateIsRead) {
  graph.add_fill(y, std::uint8_t{0});
  for (const bool is_inverted : {false, true})
    graph.add({Dispatch{.kernel = kernel,
                        .groups = {1},
                        .group_size = {64},
                        .arguments = {},
                        .predicate = {y.range(0, 4), is_inverted}}});
  graph.add_fill(y.range(8, 4), std::uint8_t{1});
  graph.add_fill(y.range(0, 4), std::uint8_t{1});
  EXPECT_THAT(graph.hazards(),
              ElementsAre(hazard(0, 1), hazard(0, 2), hazard(0, 3), hazard(1, 4), hazard(2, 4)));
}

TEST_F(Hazards, FollowTheOrderThatDependenciesAskFor) {
  graph.add_fill(x, std::uint8_t{0});
  dispatch(in(x));
  graph.add_dependency(node(1), node(0));
  EXPECT_THAT(graph.hazards(), IsEmpty());  // the pair is ordered already
  graph.add_fill(x, std::uint8_t{1});
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 2)));
  EXPECT_THAT(graph.edges(), ElementsAre(Edge{node(1), node(0)}, hazard(0, 2)));
}

TEST_F(Hazards, HostCallsAreOrderedAgainstEverything) {
  graph.add_fill(x, std::uint8_t{0});
  graph.add_fill(y, std::uint8_t{0});
  graph.add_host_call([] {});
  graph.add_fill(x, std::uint8_t{1});
  graph.add_host_call([] {});
  graph.add_host_call([] {});
  EXPECT_THAT(graph.hazards(),
              ElementsAre(hazard(0, 2), hazard(1, 2), hazard(2, 3), hazard(3, 4), hazard(4, 5)));
}

TEST_F(Hazards, ABarrierIsAFenceUnlessItWasToldWhatToWaitFor) {
  graph.add_fill(x, std::uint8_t{0});
  graph.add_fill(y, std::uint8_t{0});
  graph.add_barrier();
  graph.add_fill(z, std::uint8_t{0});
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 2), hazard(1, 2), hazard(2, 3)));
  graph.add_dependency(node(0), node(2));
  EXPECT_THAT(graph.hazards(), IsEmpty());
}

TEST_F(Hazards, ABarrierOfAStreamIsAFence) {
  graph.add_fill(x, std::uint8_t{0});
  graph.add_fill(y, std::uint8_t{0});
  graph.add({Barrier{}}, {node(1)}, EdgeKind::stream);
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 2)));
}

TEST_F(Hazards, AChildTouchesWhatItsNodesTouch) {
  Graph inner;
  inner.add_copy(y, x);
  Graph outer;
  outer.add_child(inner);
  graph.add_fill(x, std::uint8_t{0});
  graph.add_fill(z, std::uint8_t{0});
  graph.add_child(outer);
  dispatch(in(y));
  dispatch(in(x));
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 2), hazard(2, 3), hazard(0, 4)));
}

TEST_F(Hazards, AChildWithAHostCallIsAFence) {
  Graph child;
  child.add_host_call([] {});
  graph.add_fill(x, std::uint8_t{0});
  graph.add_child(child);
  graph.add_fill(y, std::uint8_t{0});
  EXPECT_THAT(graph.hazards(), ElementsAre(hazard(0, 1), hazard(1, 2)));
}

}  // namespace
}  // namespace reel::test
