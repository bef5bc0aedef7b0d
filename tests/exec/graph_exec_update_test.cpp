// Changing an exec: for later launches only, and all or nothing.
#include "four_nodes_test.hpp"

namespace reel::test {
namespace {

using ::testing::HasSubstr;

class GraphExecUpdate : public FourNodesTest {};
INSTANTIATE_TEST_SUITE_P(Each, GraphExecUpdate, every_device(), device_name);

// --- one at a time -------------------------------------------------------------------------------

TEST_P(GraphExecUpdate, AnArgumentChangesForLaterLaunches) {
  GraphExec exec = four_nodes().instantiate(device());
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(1));
  exec.set_argument(node(0), 1, 10u);
  exec.set_argument(node(0), 2, 7u);
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(17));
  EXPECT_EQ(std::get<Dispatch>(exec.graph().node(node(0)).command.work).arguments[1],
            Argument(10u));
}

TEST_P(GraphExecUpdate, ALaunchInFlightKeepsTheArgumentsItStartedWith) {
  GraphExec exec = four_nodes().instantiate(device());
  const Gate gate;
  stream.host_call(gate.holding());
  std::uint32_t expected = 0;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    exec.set_argument(node(0), 2, i);
    exec.launch(stream);
    expected = 2 * expected + i;
  }
  exec.set_argument(node(0), 2, 1000u);  // nothing launches with this one
  gate.open();
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(expected));
}

TEST_P(GraphExecUpdate, EvenALaunchThatIsHalfDoneKeepsThem) {
  const Gate gate;
  Graph graph;
  graph.add_host_call(gate.holding());
  const NodeId after = add_mad(graph, x, 2, 1);
  const NodeId data = graph.add_write(y, std::as_bytes(std::span<const std::uint32_t>(ramp(1))));
  const NodeId disabled = add_mad(graph, z, 1, 1);
  const NodeId smaller = add_mad(graph, w, 1, 1);
  GraphExec exec = graph.instantiate(device());
  exec.launch(stream);
  stream.flush();
  gate.wait_until_reached();
  const Words others = ramp(900);
  exec.set_argument(after, 2, 50u);
  exec.set_data(data, std::as_bytes(std::span(others)));
  exec.set_enabled(disabled, false);
  exec.set_grid(smaller, {1});
  gate.open();
  stream.synchronize();
  EXPECT_EQ(contents(x), words(1));
  EXPECT_EQ(contents(y), ramp(1));
  EXPECT_EQ(contents(z), words(1));
  EXPECT_EQ(contents(w), words(1));
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(52));
  EXPECT_EQ(contents(y), ramp(900));
  EXPECT_EQ(contents(z), words(1));
  Words partly = words(1);
  std::fill_n(partly.begin(), group_items, 2u);
  EXPECT_EQ(contents(w), partly);
}

TEST_P(GraphExecUpdate, AGridChangesForLaterLaunches) {
  GraphExec exec = four_nodes().instantiate(device());
  exec.set_grid(node(0), {2});
  launch_and_wait(exec);
  Words expected = words(0);
  std::fill_n(expected.begin(), 2 * group_items, 1u);
  EXPECT_EQ(contents(x), expected);
  exec.set_grid(node(0), {0});
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), expected);
  exec.set_grid(node(0), {4});
  launch_and_wait(exec);
  for (std::uint32_t& word : expected) word = 2 * word + 1;
  EXPECT_EQ(contents(x), expected);
}

TEST_P(GraphExecUpdate, TheBytesOfAWriteChangeForLaterLaunches) {
  GraphExec exec = four_nodes().instantiate(device());
  Words data = ramp(70);
  const Gate gate;
  stream.host_call(gate.holding());
  exec.launch(stream);
  stream.copy(x, w);
  exec.set_data(node(3), std::as_bytes(std::span(data)));
  data.assign(data.size(), 0);  // copied at the call
  exec.launch(stream);
  gate.open();
  stream.synchronize();
  EXPECT_EQ(contents(w), ramp(70));
  Words first = ramp(40);
  for (std::uint32_t& word : first) word = 2 * word + 1;
  EXPECT_EQ(contents(x), first) << "the launch before the change wrote the old bytes";
}

TEST_P(GraphExecUpdate, ADisabledNodeIsLeftOut) {
  GraphExec exec = four_nodes().instantiate(device());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(exec.enabled(node(i)));
  exec.set_enabled(node(0), false);
  exec.set_enabled(node(3), false);
  EXPECT_FALSE(exec.enabled(node(0)));
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(0));
  EXPECT_EQ(contents(z), words(0x03030303));
  EXPECT_EQ(contents(w), words(0));
  exec.set_enabled(node(0), true);
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(1));
  EXPECT_EQ(contents(w), words(0));
}

TEST_P(GraphExecUpdate, EveryKindOfNodeMayBeDisabled) {
  Graph graph;
  int calls = 0;
  Words target = words(0);
  add_mad(graph, x, 1, 1);
  graph.add_host_call([&] { ++calls; });
  graph.add_read(z, std::as_writable_bytes(std::span(target)));
  graph.add_copy(w, z);
  GraphExec exec = graph.instantiate(device());
  z.write(words(6));
  for (std::size_t i = 0; i < 4; ++i) exec.set_enabled(node(i), false);
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(0));
  EXPECT_EQ(contents(w), words(0));
  EXPECT_EQ(target, words(0));
  EXPECT_EQ(calls, 0);
  for (std::size_t i = 0; i < 4; ++i) exec.set_enabled(node(i), true);
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(1));
  EXPECT_EQ(contents(w), words(6));
  EXPECT_EQ(target, words(6));
  EXPECT_EQ(calls, 1);
}

TEST_P(GraphExecUpdate, AChildHasNoParametersOfItsOwn) {
  Graph inner, graph;
  add_mad(inner, x, 1, 1);
  graph.add_child(inner);
  GraphExec exec = graph.instantiate(device());
  expect_error(Code::invalid_argument, {"n0", "child"}, [&] { exec.set_enabled(node(0), false); });
  expect_error(Code::invalid_argument, {"n0", "child"}, [&] { exec.set_argument(node(0), 1, 1u); });
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(1));
  exec.bind("x", y);  // by name, buffers inside children too
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(1));
  EXPECT_EQ(contents(y), words(1));
}

TEST_P(GraphExecUpdate, ATimedLaunchLeavesOutDisabledNodes) {
  if (!info().can_stamp_time) GTEST_SKIP() << "no time stamps here";
  GraphExec exec = four_nodes().instantiate(device());
  exec.set_enabled(node(2), false);
  const std::vector<NodeTime> times = exec.launch_timed(stream).wait();
  ASSERT_EQ(times.size(), 3u);
  for (const NodeTime& time : times) EXPECT_NE(time.node, node(2));
}

// --- buffers -------------------------------------------------------------------------------------

TEST_P(GraphExecUpdate, ABufferOfOneArgumentIsRebound) {
  Graph graph;
  const NodeId first = add_mad(graph, x, 2, 1);
  GraphExec exec = graph.instantiate(device());
  exec.launch(stream);
  exec.bind(first, 0, y);
  exec.launch(stream);
  exec.launch(stream);
  stream.synchronize();
  EXPECT_EQ(contents(x), words(1));
  EXPECT_EQ(contents(y), words(3));
}

TEST_P(GraphExecUpdate, ABufferIsReboundByNameWhereverItIsUsed) {
  Graph graph;
  add_mad(graph, x, 2, 1);
  graph.add_copy(y, x);
  graph.add_fill(x.range(0, 8), std::uint8_t{0xee});
  Words target = words(0);
  graph.add_read(x, std::as_writable_bytes(std::span(target)));
  GraphExec exec = graph.instantiate(device());
  const Buffer other = make("other");
  other.write(words(100));
  exec.bind("x", other);
  launch_and_wait(exec);
  EXPECT_EQ(contents(x), words(0));
  EXPECT_EQ(contents(y), words(201));
  Words expected = words(201);
  expected[0] = expected[1] = 0xeeeeeeee;
  EXPECT_EQ(contents(other), expected);
  EXPECT_EQ(target, expected);
}

TEST_P(GraphExecUpdate, ANameStaysTheOneOfInstantiation) {
  Graph graph;
  add_mad(graph, x, 2, 1);
  GraphExec exec = graph.instantiate(device());
  exec.bind("x", y);
  launch_and_wait(exec);
  exec.bind("x", z);  // still called x: the place, not the buffer
  launch_and_wait(exec);
  exec.bind("x", x);
  launch_and_wait(exec);
  for (const Buffer& buffer : {x, y, z}) EXPECT_EQ(contents(buffer), words(1));
}

TEST_P(GraphExecUpdate, TwoBuffersAreSwappedInOneCall) {
  Graph graph;
  add_mix(graph, x, z, y, 1);  // y = x + z
  GraphExec exec = graph.instantiate(device());
  x.write(words(1));
  z.write(words(10));
  std::uint32_t expected = 1;
  for (int step = 0; step < 6; ++step) {  // ping-pong
    launch_and_wait(exec);
    expected += 10;
    EXPECT_EQ(contents(step % 2 ? x : y), words(expected));
    if (step % 2)
      exec.bind({{"x", x}, {"y", y}});
    else
      exec.bind({{"x", y}, {"y", x}});
  }
}

TEST_P(GraphExecUpdate, ALaunchInFlightKeepsItsBuffers) {
  Graph graph;
  add_mad(graph, x, 2, 1);
  GraphExec exec = graph.instantiate(device());
  Words target = words(0);
  const Gate gate;
  stream.host_call(gate.holding());
  {
    const Buffer brief = make("brief");
    exec.bind("x", brief);
    exec.launch(stream);
    stream.read(brief, target);
    exec.bind("x", y);  // the exec lets go of `brief`, the launch does not
  }
  const Buffer newcomer = make("newcomer");
  gate.open();
  stream.synchronize();
  EXPECT_EQ(target, words(1));
  EXPECT_EQ(contents(newcomer), words(0));
  EXPECT_EQ(contents(y), words(0));
}

TEST_P(GraphExecUpdate, ARangeKeepsItsPlaceInTheNewBuffer) {
  const std::uint64_t align = std::max<std::uint64_t>(256, info().binding_alignment_bytes);
  const Buffer two = device().buffer(2 * align, "two"), other = device().buffer(2 * align, "other");
  Graph graph;
  graph.add_dispatch(mad_kernel, over(64), inout(two.range(align, 256)), 1u, 9u, 64u);
  GraphExec exec = graph.instantiate(device());
  exec.bind("two", other);
  launch_and_wait(exec);
  EXPECT_EQ(contents(two), words(0, align / 2));
  Words expected = words(0, align / 2);
  std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(align / 4), 64, 9u);
  EXPECT_EQ(contents(other), expected);
}

// --- wrong changes -------------------------------------------------------------------------------

TEST_P(GraphExecUpdate, WrongChangesThrowAndChangeNothing) {
  const Graph before = four_nodes();
  GraphExec exec = before.instantiate(device());
  const Buffer small = device().buffer(8, "small");
  const Buffer freed = make("given back");
  Buffer(freed).free();
  const Words short_data = words(1, 3);

  const auto wrong = [&](std::initializer_list<std::string_view> says, auto&& change) {
    expect_error(Code::invalid_argument, says, change);
    expect_as_before(exec, before);
  };
  wrong({"4", "node"}, [&] { exec.set_argument(node(4), 0, 1u); });
  wrong({"4", "node"}, [&] { exec.set_grid(node(4), {1}); });
  wrong({"4", "node"}, [&] { exec.set_enabled(node(4), false); });
  wrong({"4", "node"}, [&] { (void)exec.enabled(node(4)); });
  wrong({"4", "node"}, [&] { exec.set_data(node(4), {}); });
  wrong({"4", "node"}, [&] { exec.bind(node(4), 0, y); });
  wrong({"9", "4"}, [&] { exec.set_argument(node(0), 9, 1u); });
  wrong({"9", "n0"}, [&] { exec.bind(node(0), 9, y); });
  wrong({"8", "4"}, [&] { exec.set_argument(node(0), 1, std::uint64_t{1}); });
  wrong({"2", "4"}, [&] { exec.set_argument(node(0), 1, std::uint16_t{1}); });
  wrong({"buffer", "value"}, [&] { exec.set_argument(node(0), 1, inout(x)); });
  wrong({"buffer", "value"}, [&] { exec.set_argument(node(0), 0, 1u); });
  wrong({"copy"}, [&] { exec.set_argument(node(1), 0, 1u); });
  wrong({"fill"}, [&] { exec.set_grid(node(2), {1}); });
  wrong({"dispatch"}, [&] { exec.set_data(node(0), std::as_bytes(std::span(short_data))); });
  wrong({"12", "1024"}, [&] { exec.set_data(node(3), std::as_bytes(std::span(short_data))); });
  wrong({"small", "8", "1024"}, [&] { exec.bind(node(0), 0, small); });
  wrong({"small", "8", "1024"}, [&] { exec.bind("x", small); });
  wrong({"given back"}, [&] { exec.bind("x", freed); });
  wrong({"given back"}, [&] { exec.bind(node(0), 0, freed); });
  wrong({"nobody"}, [&] { exec.bind("nobody", y); });
  wrong({}, [&] { exec.bind("x", Buffer()); });
  wrong({}, [&] { exec.bind(node(0), 0, Buffer()); });
}

TEST_P(GraphExecUpdate, AGridPastTheLimitChangesNothing) {
  const std::uint32_t most = info().max_groups.y;
  const Graph before = four_nodes();
  GraphExec exec = before.instantiate(device());
  if (most == 0xffffffff) {  // no limit
    EXPECT_NO_THROW(exec.set_grid(node(0), {1, most}));
    return;
  }
  expect_error(Code::invalid_argument, {std::to_string(most)}, [&] {
    exec.set_grid(node(0), {1, most + 1});
  });
  expect_as_before(exec, before);
}

TEST_P(GraphExecUpdate, ABufferThatTheGraphNamesElsewhereIsRefused) {
  const Graph before = four_nodes();
  GraphExec exec = before.instantiate(device());
  expect_error(Code::invalid_argument, {"'y'"}, [&] { exec.bind("x", y); });
  expect_as_before(exec, before);
  expect_error(Code::invalid_argument, {"'z'"}, [&] { exec.bind(node(0), 0, z); });
  expect_as_before(exec, before);
  // Of several names all or none: the first here would be fine by itself.
  const Buffer free_one = make("free one");
  expect_error(Code::invalid_argument, {"'w'"}, [&] { exec.bind({{"x", free_one}, {"y", w}}); });
  expect_as_before(exec, before);
  expect_error(Code::invalid_argument, {"free one"}, [&] {
    exec.bind({{"x", free_one}, {"y", free_one}});
  });
  expect_as_before(exec, before);
}

TEST_P(GraphExecUpdate, ForeignBuffersChangeNothing) {
  const Device other = another_device();
  if (!other) GTEST_SKIP() << "needs a second device";
  const Buffer theirs = other.buffer(4 * word_count, "theirs");
  const Graph before = four_nodes();
  GraphExec exec = before.instantiate(device());
  expect_error(Code::invalid_argument, {"theirs"}, [&] { exec.bind("x", theirs); });
  expect_error(Code::invalid_argument, {"theirs"}, [&] { exec.bind(node(0), 0, theirs); });
  expect_error(Code::invalid_argument, {"theirs"},
               [&] { exec.set_argument(node(0), 0, inout(theirs)); });
  expect_as_before(exec, before);
}

// --- clones --------------------------------------------------------------------------------------

TEST_P(GraphExecUpdate, AClonePicksUpTheChangesAndThenGoesItsOwnWay) {
  auto exec = std::make_unique<GraphExec>(four_nodes().instantiate(device()));
  exec->set_argument(node(0), 2, 5u);
  exec->set_enabled(node(2), false);
  GraphExec clone = exec->clone();
  EXPECT_EQ(clone.graph(), exec->graph());
  EXPECT_FALSE(clone.enabled(node(2)));
  clone.set_argument(node(0), 2, 100u);
  exec->set_argument(node(0), 1, 0u);
  launch_and_wait(*exec);
  EXPECT_EQ(contents(x), words(5));
  launch_and_wait(clone);
  EXPECT_EQ(contents(x), words(2 * 5 + 100));
  EXPECT_EQ(contents(z), words(0));
  exec.reset();
  launch_and_wait(clone);
  EXPECT_EQ(contents(x), words(2 * 110 + 100));
}

TEST_P(GraphExecUpdate, ManyChangesOfALongGraph) {
  Graph graph;
  for (std::uint32_t i = 0; i < 300; ++i) add_mad(graph, i % 2 ? x : y, 1, 0);
  GraphExec exec = graph.instantiate(device());
  std::uint32_t of_x = 0, of_y = 0;
  for (std::uint32_t round = 0; round < 20; ++round) {
    for (std::uint32_t i = 0; i < 300; ++i) {
      exec.set_argument(node(i), 2, i * round);
      (i % 2 ? of_x : of_y) += i * round;
    }
    exec.launch(stream);  // never waits
  }
  stream.synchronize();
  EXPECT_EQ(contents(x), words(of_x));
  EXPECT_EQ(contents(y), words(of_y));
}

}  // namespace
}  // namespace reel::test
