#include <chrono>
#include <thread>

#include "vulkan/vulkan_test.hpp"

namespace reel {
namespace {

TEST_F(Vulkan, AGraphRunsEveryKindOfCommand) {
  const Kernel scale = scale_kernel();
  const Buffer a = device.buffer(256, "a"), b = device.buffer(256, "b");
  const Buffer groups = device.buffer_of(std::vector<std::uint32_t>{1, 1, 1}, "groups");
  const Stream stream = device.stream("graph");
  std::vector<std::uint32_t> between(64), result(64);
  std::uint32_t seen_by_host = 0;
  int calls = 0;
  StreamCapture capture = StreamCapture::begin(stream);
  stream.write(a, counting(64));
  stream.dispatch(scale, {.groups = {1}}, inout(a), 64u, 2u, 1u);
  stream.copy(b, a);
  stream.fill(a.range(3, 5), std::uint8_t{0xFF});
  stream.read(b, between);
  stream.host_call([&] {
    seen_by_host = between[10];
    ++calls;
  });
  stream.dispatch_indirect(scale, groups, {}, inout(b), 64u, 1u, 100u);
  stream.read(b, result);
  const Graph graph = capture.end();
  const GraphExec exec = graph.instantiate(device);
  for (int launch = 1; launch <= 3; ++launch) {
    std::fill(result.begin(), result.end(), 0);
    exec.launch(stream);
    stream.synchronize();
    EXPECT_EQ(calls, launch);
    EXPECT_EQ(seen_by_host, 21u);
    for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(result[i], i * 2 + 101);
    EXPECT_EQ(a.read<std::uint8_t>(3, 5), std::vector<std::uint8_t>(5, 0xFF));
  }
}

TEST_F(Vulkan, LaunchesInFlightKeepTheirArguments) {
  const Kernel scale = scale_kernel();
  const Buffer data = device.buffer(256, "data");
  const Stream stream = device.stream("updates");
  Graph graph;
  const NodeId node = graph.add_dispatch(scale, {.groups = {1}}, inout(data), 64u, 10u, 0u);
  GraphExec exec = graph.instantiate(device);
  std::uint32_t expected = 0;
  for (std::uint32_t digit = 1; digit <= 9; ++digit) {  // more than there are recordings kept
    exec.set_argument(node, 3, digit);
    exec.launch(stream);
    expected = expected * 10 + digit;
  }
  EXPECT_EQ(stream.read_now<std::uint32_t>(data)[0], expected);

  // A launch holds a buffer that the exec has let go.
  Buffer other = device.buffer(256, "other");
  exec.bind(node, 0, other);
  exec.set_argument(node, 3, 5u);
  exec.launch(stream);
  exec.bind(node, 0, data);
  other = {};
  exec.set_grid(node, {0});
  exec.launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(data)[0], expected);
}

TEST_F(Vulkan, ANodeSwitchedOffLeavesTheOrderOfTheOthers) {
  const Kernel scale = scale_kernel();
  const Buffer data = device.buffer(256, "data");
  const Stream stream = device.stream("switch");
  Graph graph;
  graph.add_dispatch(scale, {.groups = {1}}, inout(data), 64u, 0u, 3u);
  const NodeId middle = graph.add_dispatch(scale, {.groups = {1}}, inout(data), 64u, 10u, 0u);
  graph.add_dispatch(scale, {.groups = {1}}, inout(data), 64u, 1u, 4u);
  GraphExec exec = graph.instantiate(device);
  exec.launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(data)[0], 34u);
  exec.set_enabled(middle, false);
  exec.launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(data)[0], 7u);
  exec.set_enabled(middle, true);
  const GraphExec copy = exec.clone();
  copy.launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(data)[0], 34u);
}

TEST_F(Vulkan, AnExecMayGoWhileItsLaunchesAreInFlight) {
  const Kernel scale = scale_kernel();
  const Buffer data = device.buffer(256, "data");
  const Stream stream = device.stream("gone");
  {
    Graph graph;
    for (std::uint32_t i = 0; i < 50; ++i)
      graph.add_dispatch(scale, {.groups = {1}}, inout(data), 64u, 1u, 1u);
    const GraphExec exec = graph.instantiate(device);
    for (int i = 0; i < 4; ++i) exec.launch(stream);
  }
  EXPECT_EQ(stream.read_now<std::uint32_t>(data)[0], 200u);
}

TEST_F(Vulkan, WritesOfAnExecMayBeReplacedWhileInFlight) {
  const Buffer data = device.buffer(70000, "data"), copies = device.buffer(4 * 70000, "copies");
  const Stream stream = device.stream("writes");
  Graph graph;
  const std::vector<std::uint8_t> zeros(70000, 0);  // too large to be recorded inline
  const NodeId write = graph.add_write(data, std::as_bytes(std::span(zeros)));
  GraphExec exec = graph.instantiate(device);
  for (std::uint8_t i = 0; i < 4; ++i) {
    const std::vector<std::uint8_t> bytes(70000, i);
    exec.set_data(write, std::as_bytes(std::span(bytes)));
    exec.launch(stream);
    stream.copy(copies.range(i * 70000u, 70000), data);
  }
  stream.synchronize();
  for (std::uint8_t i = 0; i < 4; ++i)
    EXPECT_EQ(copies.read<std::uint8_t>(i * 70000u + 69999u, 1)[0], i);
}

TEST_F(Vulkan, EveryStepIsTimed) {
  const Kernel scale = scale_kernel();
  const Buffer data = device.buffer(256, "data");
  const Stream stream = device.stream("timed");
  Graph graph;
  for (std::uint32_t i = 0; i < 5; ++i)
    graph.add_dispatch(scale, {.groups = {1}}, inout(data), 64u, 1u, 1u);
  graph.add_host_call([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  graph.add_copy(data.range(0, 16), data.range(128, 16));
  GraphExec exec = graph.instantiate(device);
  exec.set_enabled(NodeId{2}, false);
  const std::vector<NodeTime> times = exec.launch_timed(stream).wait();
  ASSERT_EQ(times.size(), 6u);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_GE(times[i].end_ns, times[i].begin_ns);
    if (i) {
      EXPECT_GE(times[i].end_ns, times[i - 1].end_ns) << i;
    }
    EXPECT_NE(times[i].node, NodeId{2});
    if (times[i].node == NodeId{5}) {
      EXPECT_GT(times[i].end_ns - times[i].begin_ns, 1'000'000u);
    }
  }
}

TEST_F(Vulkan, SessionsGiveTheSameBytesBothWays) {
  const Kernel scale = scale_kernel();
  const GraphExecutor executor(device);
  std::vector<std::vector<std::uint32_t>> results;
  for (bool recorded : {false, true}) {
    const Buffer x = device.buffer_of(counting(64), "x"), y = device.buffer(256, "y");
    GraphSession pass = recorded ? executor.begin_recorded() : executor.begin();
    for (std::uint32_t i = 0; i < 10; ++i) {
      pass.dispatch(scale, {.groups = {1}}, inout(x), 64u, 3u, i);
      pass.copy(y, x);
      pass.dispatch(scale, {.groups = {1}}, inout(y), 64u, 5u, i);
    }
    EXPECT_EQ(pass.finish().dispatches, 20u);
    results.push_back(y.read<std::uint32_t>());
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace reel
