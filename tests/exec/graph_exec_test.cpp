// Launching: what runs, in which order, and how long things live.
#include <chrono>

#include "stream_test.hpp"

namespace reel::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class GraphExecTest : public StreamTest {};
INSTANTIATE_TEST_SUITE_P(Each, GraphExecTest, every_device(), device_name);

// True when `done` says so within ten seconds: a test of "does not wait" must not wait for ever.
template <class F>
bool soon(F&& done) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

TEST_P(GraphExecTest, RunsOnceForEachLaunch) {
  Graph graph;
  add_mad(graph, x, 2, 1);
  const GraphExec exec = graph.instantiate(device());
  stream.synchronize();
  EXPECT_EQ(contents(x), words(0)) << "instantiating runs nothing";
  std::uint32_t expected = 0;
  for (int launch = 0; launch < 5; ++launch) {
    exec.launch(stream);
    stream.synchronize();
    expected = 2 * expected + 1;
    EXPECT_EQ(contents(x), words(expected));
  }
}

TEST_P(GraphExecTest, ManyLaunchesMayBeInFlight) {
  Graph graph;
  add_mad(graph, x, 1, 1);
  add_mad(graph, x, 3, 0);
  const GraphExec exec = graph.instantiate(device());
  const Gate gate;
  stream.host_call(gate.holding());
  std::uint32_t expected = 0;
  for (int launch = 0; launch < 100; ++launch) {
    exec.launch(stream);
    expected = (expected + 1) * 3;
  }
  gate.open();
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(expected));
}

TEST_P(GraphExecTest, LaunchesAndCommandsOfOneStreamKeepTheirOrder) {
  Graph graph;
  add_mad(graph, x, 2, 1);
  const GraphExec exec = graph.instantiate(device());
  stream.write(x, words(5));
  exec.launch(stream);    // 11
  mad(stream, x, 10, 0);  // 110
  exec.launch(stream);    // 221
  stream.copy(y, x);
  stream.fill(x, std::uint8_t{0});
  exec.launch(stream);  // 1
  EXPECT_EQ(stream.read_now<std::uint32_t>(y), words(221));
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(1));
}

TEST_P(GraphExecTest, LaunchesFromTwoStreamsInTurn) {
  const Stream other = device().stream("other");
  Graph graph;
  add_mad(graph, x, 3, 1);
  const GraphExec exec = graph.instantiate(device());
  std::uint32_t expected = 0;
  for (int round = 0; round < 10; ++round) {
    const Event done = device().event();
    const Stream& one = round % 2 ? other : stream;
    const Stream& two = round % 2 ? stream : other;
    exec.launch(one);
    one.record(done);
    two.wait(done);
    exec.launch(two);
    two.record(done);
    one.wait(done);
    two.synchronize();
    expected = 3 * (3 * expected + 1) + 1;
  }
  EXPECT_EQ(contents(x), words(expected));
}

TEST_P(GraphExecTest, ALaunchHeldUpOnOneStreamDoesNotHoldUpAnother) {
  const Stream other = device().stream("other");
  Graph graph;
  Words target = words(9);
  graph.add_read(x, std::as_writable_bytes(std::span(target)));
  const GraphExec exec = graph.instantiate(device());
  const Gate gate;
  stream.host_call(gate.holding());
  exec.launch(stream);
  stream.flush();
  exec.launch(other);
  other.flush();
  EXPECT_TRUE(soon([&] { return other.done(); }));
  EXPECT_FALSE(stream.done());
  EXPECT_EQ(target, words(0));
  gate.open();
  stream.synchronize();
}

TEST_P(GraphExecTest, ThreadsLaunchTheirOwnClones) {
  Graph graph;
  add_mad(graph, x, 1, 1);
  const GraphExec exec = graph.instantiate(device());
  std::vector<Buffer> buffers;
  std::vector<GraphExec> clones;
  for (int t = 0; t < 4; ++t) {
    buffers.push_back(make("of thread " + std::to_string(t)));
    clones.push_back(exec.clone());
    clones.back().bind("x", buffers.back());
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Stream own = device().stream();
      for (int i = 0; i < 50; ++i) clones[t].launch(own);
      own.synchronize();
    });
  for (std::thread& thread : threads) thread.join();
  for (const Buffer& buffer : buffers) EXPECT_EQ(contents(buffer), words(50));
  EXPECT_EQ(contents(x), words(0));
}

TEST_P(GraphExecTest, RunsEveryKindOfNode) {
  Graph graph, inner;
  add_mad(inner, y, 2, 0);
  Words target = words(0);
  std::vector<std::uint32_t> seen;
  graph.add_write(x, std::as_bytes(std::span<const std::uint32_t>(ramp(10))));
  add_mad(graph, x, 1, 1);
  graph.add_copy(y, x);
  graph.add_child(inner);
  graph.add_fill(y.range(0, 4), std::uint8_t{0xff});
  graph.add_barrier();
  graph.add_read(y, std::as_writable_bytes(std::span(target)));
  graph.add_host_call([&] { seen.push_back(target[1]); });
  const GraphExec exec = graph.instantiate(device());
  EXPECT_EQ(exec.node_count(), 8u);
  exec.launch(stream);
  exec.launch(stream);
  stream.synchronize();
  Words expected = ramp(10);
  for (std::uint32_t& word : expected) word = (word + 1) * 2;
  expected[0] = 0xffffffff;
  EXPECT_EQ(target, expected);
  EXPECT_THAT(seen, ElementsAre(expected[1], expected[1]));
}

TEST_P(GraphExecTest, AnIndirectDispatchReadsItsGridAtEachLaunch) {
  const Buffer groups = device().buffer(16, "groups");
  auto capture = StreamCapture::begin(stream);
  const auto dispatch = [&] {
    stream.dispatch_indirect(mad_kernel, groups.range(4, 12), {.group_size = {group_items}},
                             inout(x), 1u, 1u, word_count);
  };
  if (!info().can_dispatch_indirect) {
    expect_error(Code::unsupported, {"mul_add"}, dispatch);
    return;
  }
  dispatch();
  const GraphExec exec = capture.end().instantiate(device());
  Words expected = words(0);
  for (const std::uint32_t count : {1u, 3u, 0u, 4u}) {
    groups.write(Words{7, count, 1, 1});
    exec.launch(stream);
    std::for_each_n(expected.begin(), count * group_items, [](std::uint32_t& word) { ++word; });
    EXPECT_EQ(stream.read_now<std::uint32_t>(x), expected);
  }
}

TEST_P(GraphExecTest, ChildrenOfChildrenRunInPlace) {
  Graph innermost, inner, graph;
  add_mad(innermost, x, 2, 1);
  add_mad(inner, x, 3, 1);
  inner.add_child(innermost);
  add_mad(inner, x, 5, 1);
  add_mad(graph, x, 7, 1);
  graph.add_child(inner);
  graph.add_child(inner);  // the same twice
  add_mad(graph, x, 11, 1);
  graph.instantiate(device()).launch(stream);
  std::uint32_t value = 7 * 0 + 1;
  for (int twice = 0; twice < 2; ++twice) value = ((value * 3 + 1) * 2 + 1) * 5 + 1;
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(value * 11 + 1));
}

TEST_P(GraphExecTest, AHostCallThatThrowsIsToldOnceAndTheExecGoesOn) {
  bool broken = true;
  Graph graph;
  add_mad(graph, x, 1, 1);
  graph.add_host_call([&] {
    if (broken) throw std::runtime_error("tokenizer is missing");
  });
  const GraphExec exec = graph.instantiate(device());
  exec.launch(stream);
  expect_error(Code::host_call_failed, {"tokenizer is missing"}, [&] { stream.synchronize(); });
  broken = false;
  exec.launch(stream);
  stream.synchronize();
  EXPECT_EQ(contents(x), words(2));
}

TEST_P(GraphExecTest, NoGroupsIsNoWork) {
  Graph graph;
  graph.add_dispatch(mad_kernel, {.groups = {0}, .group_size = {group_items}}, inout(x), 1u, 1u,
                     word_count);
  add_mad(graph, x, 1, 10);
  graph.instantiate(device()).launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(10));
}

// --- lives ---------------------------------------------------------------------------------------

TEST_P(GraphExecTest, BuffersAndKernelsLiveAsLongAsTheExec) {
  Words target = words(0);
  GraphExec exec;
  {
    const Buffer gone = make("gone");
    const Kernel dropped = device().kernel(mad_source());
    Graph graph;
    graph.add_dispatch(dropped, grid(), inout(gone), 1u, 1u, word_count);
    graph.add_read(gone, std::as_writable_bytes(std::span(target)));
    exec = graph.instantiate(device());
  }
  for (std::uint32_t launch = 1; launch <= 3; ++launch) {
    const Buffer other = make("newcomer");  // may take memory that was given back
    other.write(words(0xffffffff));
    exec.launch(stream);
    stream.synchronize();
    EXPECT_EQ(target, words(launch));
  }
}

TEST_P(GraphExecTest, AnExecMayBeDroppedWhileItsLaunchIsInFlight) {
  const Gate gate;
  stream.host_call(gate.holding());
  {
    const Buffer gone = make("gone");
    Graph graph;
    graph.add_write(gone, std::as_bytes(std::span<const std::uint32_t>(ramp(3))));
    graph.add_copy(x, gone);
    add_mad(graph, x, 2, 0);
    const GraphExec exec = graph.instantiate(device());
    exec.launch(stream);
    exec.launch(stream);
  }
  gate.open();
  Words expected = ramp(3);
  for (std::uint32_t& word : expected) word *= 2;
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), expected);
}

TEST_P(GraphExecTest, AnExecAndItsStreamMayBeDroppedTogether) {
  {
    const Stream short_lived = device().stream("short-lived");
    Graph graph;
    for (std::uint32_t i = 0; i < 50; ++i) add_mad(graph, x, 1, 1);
    const GraphExec exec = graph.instantiate(device());
    for (int launch = 0; launch < 4; ++launch) exec.launch(short_lived);
  }
  device().synchronize();
  EXPECT_EQ(contents(x), words(200));
}

TEST_P(GraphExecTest, TellsWhatItIs) {
  Graph graph;
  add_mad(graph, x, 2, 1);
  add_mad(graph, x, 3, 1);
  const GraphExec exec = graph.instantiate(device());
  EXPECT_TRUE(exec);
  EXPECT_FALSE(GraphExec());
  EXPECT_EQ(exec.graph(), graph);
  EXPECT_EQ(exec.device(), device());
  EXPECT_EQ(exec.node_count(), 2u);
  EXPECT_GT(exec.footprint().host_bytes + exec.footprint().device_bytes, 0u);
  EXPECT_THAT(exec.lowering(), Not(IsEmpty()));
}

// --- wrong use -----------------------------------------------------------------------------------

TEST_P(GraphExecTest, ALaunchOnAStreamOfAnotherDeviceIsRefused) {
  const Device other = another_device();
  if (!other) GTEST_SKIP() << "needs a second device";
  Graph graph;
  add_mad(graph, x, 2, 1);
  const GraphExec exec = graph.instantiate(device());
  const Stream theirs = other.stream("theirs");
  expect_error(Code::invalid_argument, {"theirs"}, [&] { exec.launch(theirs); });
  expect_error(Code::invalid_argument, {"theirs"}, [&] { exec.launch_timed(theirs); });
  expect_error(Code::invalid_argument, {"stream"}, [&] { exec.launch(Stream()); });
}

TEST_P(GraphExecTest, AnEmptyExecSaysSo) {
  expect_error(Code::invalid_argument, {"GraphExec"}, [&] { GraphExec().launch(stream); });
  expect_error(Code::invalid_argument, {"GraphExec"}, [&] { GraphExec().clone(); });
  expect_error(Code::invalid_argument, {"GraphExec"},
               [&] { GraphExec().set_argument(node(0), 0, 1u); });
}

TEST_P(GraphExecTest, ForeignBuffersAreRefusedByName) {
  const Device other = another_device();
  if (!other) GTEST_SKIP() << "needs a second device";
  Graph graph;
  add_mad(graph, x, 2, 1);
  expect_error(Code::invalid_argument, {"'x'"}, [&] { graph.instantiate(other); });
}

TEST_P(GraphExecTest, KernelsOfAnotherDeviceAreBuiltAgainFromSource) {
  const Device other = another_device();
  if (!other) GTEST_SKIP() << "needs a second device";
  const Kernel kernel = other.kernel(mad_source());
  Graph graph;  // the kernel of one, the buffer of another
  graph.add_dispatch(kernel, grid(), inout(x), 2u, 7u, word_count);
  graph.instantiate(device()).launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(7));
}

TEST_P(GraphExecTest, AFreedBufferIsRefusedByName) {
  Buffer freed = make("given back");
  Graph graph;
  add_mad(graph, freed, 2, 1);
  freed.free();
  expect_error(Code::invalid_argument, {"given back"}, [&] { graph.instantiate(device()); });
}

TEST_P(GraphExecTest, ABufferFreedAfterwardsIsKept) {
  Words target = words(0);
  Buffer freed = make("given back");
  Graph graph;
  add_mad(graph, freed, 2, 1);
  graph.add_read(freed, std::as_writable_bytes(std::span(target)));
  const GraphExec exec = graph.instantiate(device());
  freed.free();
  exec.launch(stream);
  stream.synchronize();
  EXPECT_EQ(target, words(1));
}

// --- size ----------------------------------------------------------------------------------------

TEST_P(GraphExecTest, AThousandNodes) {
  auto capture = StreamCapture::begin(stream);
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    mad(stream, x, 3, i);
    expected = 3 * expected + i;
  }
  const GraphExec exec = capture.end().instantiate(device());
  EXPECT_EQ(exec.node_count(), 1000u);
  EXPECT_EQ(exec.barrier_count(), 999u);
  exec.launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(expected));
}

TEST_P(GraphExecTest, TenThousandNodes) {
  const Stream side = device().stream("side");
  const Event forked = device().event(), joined = device().event();
  auto capture = StreamCapture::begin(stream);
  stream.record(forked);
  side.wait(forked);
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    mad(stream, x, 3, i);
    mad(side, y, 3, i);
    expected = 3 * expected + i;
  }
  side.record(joined);
  stream.wait(joined);
  const GraphExec exec = capture.end().instantiate(device());
  EXPECT_EQ(exec.node_count(), 10000u);
  EXPECT_EQ(exec.barrier_count(), 4999u) << "the two chains go side by side";
  exec.launch(stream);
  stream.synchronize();
  EXPECT_EQ(contents(x), words(expected));
  EXPECT_EQ(contents(y), words(expected));
}

TEST_P(GraphExecTest, ManyExecsAtOnce) {
  std::vector<GraphExec> execs;
  for (std::uint32_t i = 0; i < 100; ++i) {
    Graph graph;
    add_mad(graph, x, 1, i);
    execs.push_back(graph.instantiate(device()));
  }
  for (const GraphExec& exec : execs) exec.launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(99 * 100 / 2));
}

}  // namespace
}  // namespace reel::test
