// Each way of running a graph gives the same bytes, and says which way it is.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels.hpp"
#include "opencl/opencl_device.hpp"

namespace reel::test {
namespace {

using testing::Test;

// fill, then ten links of a chain with a copy in between.
Graph chain(const Device& device, const Buffer& x, const Buffer& y) {
  const Kernel step = device.kernel(step_source());
  Graph graph;
  graph.add_fill(x, std::uint8_t{1});
  for (int i = 0; i < 5; ++i) {
    graph.add_dispatch(step, over(64), in(x), out(y), 64u);
    graph.add_dispatch(step, over(64), in(y), out(x), 64u);
  }
  graph.add_copy(y, x);
  return graph;
}

std::uint32_t chain_result() {
  std::uint32_t value = 0x01010101;
  for (int i = 0; i < 10; ++i) value = 3 * value + 1;
  return value;
}

struct Way {
  const char* native;
  const char* command_buffer;
  const char* says;
};

class OpenclExecutable : public OpenclTest {
 protected:
  void expect_works(const Way& way) {
    const ScopedVariable native("REEL_OPENCL_NATIVE", way.native);
    const ScopedVariable buffers("REEL_OPENCL_COMMAND_BUFFER", way.command_buffer);
    const Device own = open_device("opencl");  // looks at the variables when it is opened
    const Buffer x = own.buffer(256, "x"), y = own.buffer(256, "y"), z = own.buffer(256, "z");
    const Stream stream = own.stream("s");
    GraphExec exec = chain(own, x, y).instantiate(own);
    EXPECT_NE(exec.lowering().find(way.says), std::string::npos) << exec.lowering();
    for (int i = 0; i < 3; ++i) exec.launch(stream);
    stream.synchronize();
    EXPECT_EQ(y.read<std::uint32_t>(), std::vector<std::uint32_t>(64, chain_result()));

    // Half of the items of the last link, into another buffer.
    GraphExec other = exec.clone();
    const NodeId last = NodeId{10}, copy = NodeId{11};
    other.set_argument(last, 2, 32u);
    other.set_enabled(copy, false);
    other.bind("y", z);
    other.launch(stream);
    stream.synchronize();
    EXPECT_EQ(z.read<std::uint32_t>(0, 1)[0] * 3 + 1, chain_result());
    EXPECT_EQ(x.read<std::uint32_t>(31, 1)[0], chain_result());
    EXPECT_NE(x.read<std::uint32_t>(32, 1)[0], chain_result());

    exec.launch(stream);  // as it was
    stream.synchronize();
    EXPECT_EQ(y.read<std::uint32_t>(), std::vector<std::uint32_t>(64, chain_result()));

    const std::vector<NodeTime> times = exec.launch_timed(stream).wait();
    ASSERT_EQ(times.size(), 12u);
    for (const NodeTime& time : times) EXPECT_LE(time.begin_ns, time.end_ns);
  }
};

TEST_F(OpenclExecutable, ByPlainEnqueues) {
  expect_works(
      {"0", "0", "12 enqueues of pre-bound kernels (no native replay: REEL_OPENCL_NATIVE=0"});
}

TEST_F(OpenclExecutable, ByTheDriversCommandBuffer) {
  if (device.info().driver != "Portable Computing Language") GTEST_SKIP() << "not PoCL";
  expect_works({"0", "1", "one command buffer of 12 commands"});
}

TEST_F(OpenclExecutable, ByWhatWasMeasured) {
  if (device.info().driver != "Portable Computing Language") GTEST_SKIP() << "not PoCL";
  expect_works({"0", "", "ns a command, in the driver's command buffer"});
}

TEST_F(OpenclExecutable, Natively) {
  if (device.info().driver != "Portable Computing Language") GTEST_SKIP() << "not PoCL";
  expect_works({"", "", "native replay of 12 steps"});
}

}  // namespace
}  // namespace reel::test
