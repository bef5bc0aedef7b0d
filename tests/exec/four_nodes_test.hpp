// four_nodes_test.hpp - a fixture to change an exec of four nodes, and to see that it wasn't.
#pragma once

#include "stream_test.hpp"

namespace reel::test {

class FourNodesTest : public StreamTest {
 protected:
  // n0: x = 2 x + 1; n1: y = x; n2: fill z with 3; n3: write w.
  Graph four_nodes() const {
    Graph graph;
    add_mad(graph, x, 2, 1);
    graph.add_copy(y, x);
    graph.add_fill(z, std::uint8_t{3});
    graph.add_write(w, std::as_bytes(std::span<const std::uint32_t>(ramp(40))));
    return graph;
  }

  void launch_and_wait(const GraphExec& exec) const {
    exec.launch(stream);
    stream.synchronize();
  }

  // The exec still does what four_nodes() says, and says so.
  void expect_as_before(const GraphExec& exec, const Graph& before) const {
    EXPECT_EQ(exec.graph(), before);
    for (const Buffer& buffer : {x, y, z, w}) buffer.write(words(5));
    launch_and_wait(exec);
    EXPECT_EQ(contents(x), words(11));
    EXPECT_EQ(contents(y), words(11));
    EXPECT_EQ(contents(z), words(0x03030303));
    EXPECT_EQ(contents(w), ramp(40));
  }
};

}  // namespace reel::test
