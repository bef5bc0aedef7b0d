// pick.hpp - a kernel that writes conditions, and a fixture for graphs that decide.
#pragma once

#include "recording_test.hpp"

namespace reel::test {

// in x, inout flag, uint32 m: the first word of `flag` becomes x[0] mod m; where m is 0, one less
// than it was, down to 0.
KernelSource pick_source();
inline std::uint32_t picked(std::uint32_t x, std::uint32_t flag, std::uint32_t m) {
  return m ? x % m : flag - (flag ? 1 : 0);
}

// Every device, and the ways in which Vulkan decides besides the one it would choose.
inline auto every_way_to_decide() {
  return testing::Values("host", "opencl", "vulkan", "vulkan_indirect", "vulkan_split");
}

class DecidingTest : public RecordingTest {
 protected:
  void SetUp() override {
    RecordingTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    stream = device().stream("line");
    pick_kernel = build(pick_source());
    flag = make("flag");
    for (const KernelSource& source : {mad_source(), mix_source(), pick_source()})
      register_host_kernel(source.name, source.host);
  }

  NodeId add_pick(Graph& graph, const Buffer& from, const Buffer& into, std::uint32_t m) const {
    return graph.add_dispatch(pick_kernel, {.groups = {1}, .group_size = {64}}, in(from),
                              inout(into), m);
  }
  NodeId count_down(Graph& graph, const Buffer& into) const { return add_pick(graph, x, into, 0); }
  // x = a x + b alone.
  Graph mad_graph(const Buffer& target, std::uint32_t a, std::uint32_t b) const {
    Graph graph;
    add_mad(graph, target, a, b);
    return graph;
  }
  void set(const Buffer& buffer, std::uint32_t value) const { buffer.write(words(value)); }
  std::uint32_t first(const Buffer& buffer) const { return contents(buffer).front(); }
  void run(const GraphExec& exec) const {
    exec.launch(stream);
    stream.synchronize();
  }

  Stream stream;
  Kernel pick_kernel;
  Buffer flag;
};

}  // namespace reel::test
