// GraphExec::update: a graph of the same topology is taken over, any other refused with a reason.
#include "four_nodes_test.hpp"

namespace reel::test {
namespace {

using ::testing::HasSubstr;

class GraphExecTakeOver : public FourNodesTest {};
INSTANTIATE_TEST_SUITE_P(Each, GraphExecTakeOver, every_device(), device_name);

TEST_P(GraphExecTakeOver, AGraphOfTheSameShapeIsTakenOver) {
  GraphExec exec = four_nodes().instantiate(device());
  launch_and_wait(exec);
  const Buffer p = make("p"), q = make("q"), r = make("r");
  Graph next;
  next.add_dispatch(mad_kernel, over(128), inout(p), 5u, 6u, word_count);
  next.add_copy(q.range(4, 100), p.range(12, 100));
  next.add_fill(r.range(8, 16), std::uint8_t{0x77});
  next.add_write(w.range(0, 16), std::as_bytes(std::span<const std::uint32_t>(ramp(7, 4))));
  EXPECT_EQ(why(exec.update(next)), "");
  EXPECT_EQ(exec.graph(), next);
  for (const Buffer& buffer : {x, y, z, w}) buffer.write(words(1));
  launch_and_wait(exec);
  for (const Buffer& buffer : {x, y, z}) EXPECT_EQ(contents(buffer), words(1));
  Words of_p = words(0), of_q = words(0), of_r = words(0), of_w = words(1);
  std::fill_n(of_p.begin(), 128, 6u);
  std::fill_n(of_q.begin() + 1, 25, 6u);
  std::fill_n(of_r.begin() + 2, 4, 0x77777777u);
  std::copy_n(ramp(7, 4).begin(), 4, of_w.begin());
  EXPECT_EQ(contents(p), of_p);
  EXPECT_EQ(contents(q), of_q);
  EXPECT_EQ(contents(r), of_r);
  EXPECT_EQ(contents(w), of_w);
}

TEST_P(GraphExecTakeOver, AnUpdateIsForLaterLaunches) {
  Graph first, second;
  add_mad(first, x, 2, 1);
  add_mad(second, x, 3, 5);
  GraphExec exec = first.instantiate(device());
  const Gate gate;
  stream.host_call(gate.holding());
  exec.launch(stream);
  EXPECT_EQ(why(exec.update(second)), "");
  exec.launch(stream);
  gate.open();
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(1 * 3 + 5));
}

TEST_P(GraphExecTakeOver, ACapturedPassIsTakenOverForTheNextToken) {
  const auto pass = [&](std::uint32_t position) {
    auto capture = StreamCapture::begin(stream);
    stream.write(y, words(position));
    mix(stream, x, y, z, position);
    stream.copy(x, z);
    return capture.end();
  };
  GraphExec exec = pass(0).instantiate(device());
  std::uint32_t expected = 0;
  for (std::uint32_t position = 0; position < 8; ++position) {
    ASSERT_EQ(why(exec.update(pass(position))), "");
    exec.launch(stream);
    expected = expected * position + position;
  }
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(expected));
}

TEST_P(GraphExecTakeOver, AnotherShapeIsRefusedWithItsFirstDifference) {
  const Graph before = four_nodes();
  GraphExec exec = before.instantiate(device());

  Graph longer = four_nodes();
  longer.add_fill(z, std::uint8_t{1});
  auto difference = exec.update(longer);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->node, std::nullopt);
  EXPECT_EQ(difference->field, "node_count");
  EXPECT_EQ(difference->before, "4");
  EXPECT_EQ(difference->after, "5");
  expect_as_before(exec, before);

  Graph other_edges = four_nodes();
  other_edges.add_dependency(node(2), node(3));
  difference = exec.update(other_edges);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->field, "edges");
  EXPECT_NE(difference->before, difference->after);
  expect_as_before(exec, before);

  Graph other_kind;
  add_mad(other_kind, x, 2, 1);
  other_kind.add_copy(y, x);
  other_kind.add_copy(z, w);
  other_kind.add_write(w, std::as_bytes(std::span<const std::uint32_t>(ramp(40))));
  difference = exec.update(other_kind);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->node, node(2));
  EXPECT_EQ(difference->field, "kind");
  EXPECT_EQ(difference->before, "fill");
  EXPECT_EQ(difference->after, "copy");
  expect_as_before(exec, before);

  Graph other_kernel;
  other_kernel.add_dispatch(build(increment_source()), grid(), inout(x), word_count);
  other_kernel.add_copy(y, x);
  other_kernel.add_fill(z, std::uint8_t{3});
  other_kernel.add_write(w, std::as_bytes(std::span<const std::uint32_t>(ramp(40))));
  difference = exec.update(other_kernel);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->node, node(0));
  EXPECT_EQ(difference->field, "kernel");
  EXPECT_THAT(difference->before, HasSubstr("mul_add"));
  EXPECT_THAT(difference->after, HasSubstr("increment"));
  expect_as_before(exec, before);
}

// Order was inferred from the old ranges; one that needs more order can't be taken over unseen.
TEST_P(GraphExecTakeOver, NewHazardsAreAnotherShape) {
  Graph apart, touching;
  add_mad(apart, x, 2, 1);
  add_mad(apart, y, 3, 1);
  add_mad(touching, x, 2, 1);
  add_mad(touching, x, 3, 1);
  GraphExec exec = apart.instantiate(device());
  const auto difference = exec.update(touching);
  if (difference) {
    launch_and_wait(exec);
    EXPECT_EQ(contents(x), words(1));
    EXPECT_EQ(contents(y), words(1));
  } else {
    launch_and_wait(exec);
    EXPECT_EQ(contents(x), words(4)) << "taken over, so it must be ordered";
  }
}

// The same in captured streams, where order may have been relaxed: n0 and n2 go side by side, and
// then n2 must come after n1.
TEST_P(GraphExecTakeOver, NewHazardsInACapturedPassAreAnotherShape) {
  auto capture = StreamCapture::begin(stream);
  mad(stream, x, 2, 1);
  mad(stream, x, 2, 1);
  mad(stream, y, 2, 1);
  GraphExec exec = capture.end().instantiate(device());
  capture = StreamCapture::begin(stream);
  mad(stream, x, 2, 1);
  mad(stream, x, 2, 1);
  stream.dispatch(mad_kernel, grid(), inout(x), 2u, 1u, word_count);
  const bool taken = !exec.update(capture.end());
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(taken ? 7 : 3));

  capture = StreamCapture::begin(stream);
  mix(stream, x, z, w, 2);
  stream.copy(x, w);
  stream.copy(y, z);
  exec = capture.end().instantiate(device());
  capture = StreamCapture::begin(stream);
  mix(stream, x, z, w, 2);
  stream.copy(x, w);
  stream.copy(y, x);  // reads what n1 wrote
  const Graph next = capture.end();
  x.write(words(1));
  if (exec.update(next)) return;
  launch_and_wait(exec);
  EXPECT_EQ(contents(y), words(2)) << "taken over, so n2 must come after n1";
}

TEST_P(GraphExecTakeOver, AChildThatDiffersIsTakenOverOrRefused) {
  const auto with_child = [&](std::uint32_t b) {
    Graph inner, graph;
    add_mad(inner, x, 1, b);
    graph.add_child(inner);
    return graph;
  };
  GraphExec exec = with_child(1).instantiate(device());
  const auto difference = exec.update(with_child(10));
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(difference ? 1 : 10)) << why(difference);
  if (difference) {
    EXPECT_EQ(difference->node, node(0));
  }
}

// A kernel is its source, not its name; inside children too.
TEST_P(GraphExecTakeOver, AnotherKernelOfTheSameNameIsRefused) {
  KernelSource one = increment_source(), two = slow_source();  // both: buffer, uint32
  one.entry = one.name;
  two.entry = two.name;
  one.name = two.name = "twin";
  const Kernel increment = device().kernel(one), slow = device().kernel(two);
  for (const bool inside_child : {false, true}) {
    SCOPED_TRACE(inside_child ? "in a child" : "at the top");
    x.write(words(0));
    const auto graph_of = [&](const Kernel& kernel) {
      Graph graph, outer;
      graph.add_dispatch(kernel, over(64), inout(x), 64u);
      outer.add_child(graph);
      return inside_child ? outer : graph;
    };
    GraphExec exec = graph_of(increment).instantiate(device());
    const auto difference = exec.update(graph_of(slow));
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->node, node(0));
    launch_and_wait(exec);
    EXPECT_EQ(contents(x)[0], 1u);
  }
}

TEST_P(GraphExecTakeOver, AWrongGraphThrowsAndChangesNothing) {
  const Device other = another_device();
  if (!other) GTEST_SKIP() << "needs a second device";
  const Buffer theirs = other.buffer(4 * word_count, "theirs");
  const Graph before = four_nodes();
  GraphExec exec = before.instantiate(device());
  Graph foreign;
  add_mad(foreign, x, 2, 9);
  foreign.add_copy(y, x);
  foreign.add_fill(theirs, std::uint8_t{3});
  foreign.add_write(w, std::as_bytes(std::span<const std::uint32_t>(ramp(40))));
  expect_error(Code::invalid_argument, {"theirs"}, [&] { exec.update(foreign); });
  expect_as_before(exec, before);
}

}  // namespace
}  // namespace reel::test
