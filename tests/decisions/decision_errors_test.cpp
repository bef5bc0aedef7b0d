// What goes wrong with decisions, and what is said of it.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "decisions/pick.hpp"
#include "recording/captured.hpp"

namespace reel::test {
namespace {

using DecisionErrors = DecidingTest;
INSTANTIATE_TEST_SUITE_P(Each, DecisionErrors, every_way_to_decide(), device_name);

TEST_P(DecisionErrors, AWhileThatNeverEndsIsNamedByItsRounds) {
  Graph outer, graph;
  outer.add_while(flag, mad_graph(y, 1, 1), {.label = "spin"}, {.iterations = 5});
  graph.add_if(flag, outer, {.label = "outer"});
  add_mad(graph, y, 1, 100);
  const GraphExec exec = graph.instantiate(device());
  set(flag, 1);
  expect_error(Code::timed_out,
               {"n0 'spin' (while of 1) in n0 'outer' (if of 1)", "after 5 rounds"},
               [&] { run(exec); });
  EXPECT_EQ(first(y), 5u);  // and nothing after it
  set(flag, 0);
  run(exec);  // the next one is as good as ever
  EXPECT_EQ(first(y), 105u);
}

TEST_P(DecisionErrors, AWhileThatNeverEndsIsNamedByItsTime) {
  Graph graph;
  graph.add_while(flag, mad_graph(y, 1, 1), {.label = "spin"},
                  {.iterations = 0, .time = std::chrono::milliseconds(50)});
  set(flag, 1);
  expect_error(Code::timed_out, {"'spin'", "its limit is 50 ms"},
               [&] { run(graph.instantiate(device())); });
}

TEST_P(DecisionErrors, ASwitchWithoutSuchABranchIsNamed) {
  Graph graph;
  graph.add_switch(flag, std::vector<Graph>{mad_graph(y, 1, 1), mad_graph(y, 1, 1)},
                   {.label = "which"});
  set(flag, 2);
  expect_error(Code::invalid_argument,
               {"'which' (switch of 2 graphs) got the condition 2", "from 0 to 1"},
               [&] { run(graph.instantiate(device())); });
}

// Whatever the launch before it has left behind.
TEST_P(DecisionErrors, ASwitchWithoutSuchABranchTakesNoneOfThem) {
  Graph graph;
  graph.add_switch(flag, std::vector<Graph>{mad_graph(y, 1, 1), mad_graph(y, 1, 10)});
  add_mad(graph, z, 1, 1);
  const GraphExec exec = graph.instantiate(device());
  for (const std::uint32_t number : {1u, 2u, 0u, 3u}) {
    set(flag, number);
    if (number < 2)
      run(exec);
    else
      expect_error(Code::invalid_argument, {"got the condition"}, [&] { run(exec); });
  }
  EXPECT_EQ(first(y), 11u);
  EXPECT_EQ(first(z), 2u);
}

TEST_P(DecisionErrors, ConditionsMustBeAWordOfALiveBuffer) {
  Graph graph;
  const Graph body = mad_graph(y, 1, 1);
  expect_error(Code::invalid_argument, {"condition of an if", "4 bytes at a multiple of 4"},
               [&] { graph.add_if(device().buffer(3, "short"), graph); });
  expect_error(Code::invalid_argument, {"4 bytes at a multiple of 4"},
               [&] { graph.add_if(flag.range(2, 4), body); });
  expect_error(Code::invalid_argument, {"4 bytes at a multiple of 4"},
               [&] { graph.add_while(flag.range(0, 8), body); });
  expect_error(Code::invalid_argument, {"has no condition"},
               [&] { graph.add_if(Condition(), body); });
  expect_error(Code::invalid_argument, {"is empty"}, [&] { graph.add_if(Predicate(), body); });
  expect_error(Code::invalid_argument, {"at least one"}, [&] { graph.add_switch(flag, {}); });
  Buffer gone = make("gone");
  Buffer(gone).free();
  expect_error(Code::invalid_argument, {"gone"}, [&] { graph.add_if(gone, body); });
  EXPECT_EQ(graph.node_count(), 0u);
}

TEST_P(DecisionErrors, AFunctionThatThrowsIsNamed) {
  Graph graph;
  graph.add_if([]() -> std::uint32_t { throw std::runtime_error("no idea"); }, mad_graph(y, 1, 1),
               {.label = "asks"});
  expect_error(Code::host_call_failed, {"'asks'", "no idea"},
               [&] { run(graph.instantiate(device())); });
}

TEST_P(DecisionErrors, AFunctionMayNotUseTheStreamThatWaitsForIt) {
  Graph graph;
  graph.add_if(
      [&]() -> std::uint32_t {
        stream.synchronize();
        return 1;
      },
      mad_graph(y, 1, 1), {.label = "asks"});
  expect_error(Code::host_call_failed, {"'asks'"}, [&] { run(graph.instantiate(device())); });
}

TEST_P(DecisionErrors, AHostCallOfALaunchMayUseItsStreamUnlessThatIsRecorded) {
  Graph body, graph;
  body.add_host_call([&] { mad(stream, y, 1, 1); }, {.label = "calls"});
  graph.add_repeat(1, body);
  graph.add_if(flag, mad_graph(y, 1, 1));  // waits for it
  const GraphExec exec = graph.instantiate(device());
  run(exec);
  stream.synchronize();  // what the host call gave may have come after the wait began
  EXPECT_EQ(first(y), 1u);
  captured([&] {
    expect_error(Code::host_call_failed, {"'calls'", "a graph that decides is being launched"},
                 [&] { run(exec); });
  });
}

// It may before the launch, whenever that comes to run.
TEST_P(DecisionErrors, AHostCallFromBeforeTheLaunchMayUseTheStream) {
  Graph graph;
  graph.add_if(flag, mad_graph(y, 1, 1));
  const GraphExec exec = graph.instantiate(device());
  stream.host_call([&] { mad(stream, z, 1, 4); });
  exec.launch(stream);
  stream.synchronize();
  EXPECT_EQ(first(z), 4u);
}

TEST_P(DecisionErrors, ALaunchFromAHostCallIsFineUnlessItIsRecorded) {
  Graph graph;
  graph.add_if(flag, mad_graph(y, 1, 1));
  const GraphExec exec = graph.instantiate(device());
  const Stream other = device().stream("other");
  set(flag, 1);
  const auto launch_inside = [&](const Stream& target) {
    stream.host_call([&] { exec.launch(target); }, "launches");
    stream.synchronize();
    target.synchronize();
  };
  launch_inside(other);
  EXPECT_EQ(first(y), 1u);
  launch_inside(stream);
  stream.synchronize();
  EXPECT_EQ(first(y), 2u);
  captured([&] {
    expect_error(Code::host_call_failed, {"of a graph that decides", "'launches'"},
                 [&] { launch_inside(other); });
  });
}

// Neither the launch nor work after it is told of an error before somebody waits, and then once.
TEST_P(DecisionErrors, ComeOutOfTheNextWaitAndOnce) {
  Graph graph;
  graph.add_switch(flag, std::vector<Graph>{mad_graph(y, 1, 1)}, {.label = "which"});
  add_mad(graph, y, 1, 100);
  const GraphExec exec = graph.instantiate(device());
  set(flag, 7);
  exec.launch(stream);
  mad(stream, z, 1, 3);
  const Event event = device().event("after");
  stream.record(event);
  expect_error(Code::invalid_argument, {"'which'", "got the condition 7"},
               [&] { event.synchronize(); });
  stream.synchronize();
  EXPECT_EQ(first(y), 0u);
  EXPECT_EQ(first(z), 3u);  // the stream goes on
  expect_error(Code::invalid_argument, {"'which'", "got the condition 7"},
               [&] { exec.launch_timed(stream).wait(); });
}

// An error of work before the launch is that work's, and the launch runs all the same.
TEST_P(DecisionErrors, OfWorkBeforeTheLaunchDoNotStopIt) {
  Graph graph;
  graph.add_if(flag, mad_graph(y, 1, 1));
  const GraphExec exec = graph.instantiate(device());
  set(flag, 1);
  for (int i = 0; i < 2; ++i) {
    stream.host_call([] { throw std::runtime_error("too early"); }, "before");
    if (i == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it has happened
    exec.launch(stream);
    expect_error(Code::host_call_failed, {"'before'", "too early"}, [&] { stream.synchronize(); });
    stream.synchronize();
    EXPECT_EQ(first(y), 1u + static_cast<std::uint32_t>(i));
  }
}

// The same where that work is a launch that decides, whether or not it is over.
TEST_P(DecisionErrors, OfALaunchDoNotStopTheNext) {
  Graph graph;
  add_mad(graph, y, 1, 1);
  graph.add_switch(flag, std::vector<Graph>{mad_graph(y, 1, 10), mad_graph(y, 1, 20)},
                   {.label = "which"});
  add_mad(graph, y, 1, 100);
  const GraphExec exec = graph.instantiate(device());
  for (const bool is_over : {false, true}) {
    set(y, 0);
    set(flag, 2);
    exec.launch(stream);
    stream.write(flag, words(1));
    while (is_over && !stream.done()) std::this_thread::yield();
    exec.launch(stream);
    expect_error(Code::invalid_argument, {"'which'", "got the condition 2"},
                 [&] { stream.synchronize(); });
    stream.synchronize();
    EXPECT_EQ(first(y), 1u + 121u) << is_over;
  }
}

// As on a stream, and in a graph that decides nothing. Where the stream is busy a thread takes the
// first decision already, else the caller does.
TEST_P(DecisionErrors, OfAHostCallLeaveTheRestOfTheGraphToRun) {
  Graph body, graph;
  graph.add_if(flag, mad_graph(y, 1, 1));
  graph.add_host_call([] { throw std::runtime_error("no idea"); }, {.label = "calls"});
  add_mad(body, y, 1, 10);
  body.add_host_call([] { throw std::runtime_error("too late"); }, {.label = "calls again"});
  count_down(body, flag);
  graph.add_while(flag, body);
  add_mad(graph, y, 1, 100);
  const GraphExec exec = graph.instantiate(device());
  for (const bool is_busy : {false, true}) {
    set(y, 0);
    set(flag, 3);
    std::optional<Gate> gate;
    if (is_busy) stream.host_call(gate.emplace().holding());
    exec.launch(stream);
    gate.reset();
    expect_error(Code::host_call_failed, {"'calls'", "no idea"}, [&] { stream.synchronize(); });
    stream.synchronize();
    EXPECT_EQ(first(y), 131u) << is_busy;
  }
}

// Its memory would be gone for the branch that is taken later.
TEST_P(DecisionErrors, ABufferThatIsFreedIsNamedWhicheverBranchUsesIt) {
  Buffer gone = make("gone");
  Graph graph;
  graph.add_if(flag, mad_graph(y, 1, 1), mad_graph(gone, 1, 1), {.label = "either"});
  const GraphExec before = graph.instantiate(device());
  gone.free();
  expect_error(Code::invalid_argument, {"'gone'", "free"}, [&] { graph.instantiate(device()); });
  // What was instantiated before keeps the memory.
  run(before);
  set(flag, 1);
  run(before);
  EXPECT_EQ(first(y), 1u);
}

TEST_P(DecisionErrors, NameNodesOfChildrenToo) {
  Graph child, graph;
  child.add_switch(flag, std::vector<Graph>{mad_graph(y, 1, 1)}, {.label = "which"});
  graph.add_child(child, {.label = "part"});
  set(flag, 3);
  expect_error(Code::invalid_argument, {"'part'", "got the condition 3"},
               [&] { run(graph.instantiate(device())); });
}

// The nodes that would wait for each other are told, wherever they are.
TEST_P(DecisionErrors, CyclesAreRefusedInGraphsThatDecide) {
  Graph graph;
  const NodeId loop = graph.add_while(flag, mad_graph(y, 1, 1), {.label = "loop"});
  Graph child;
  child.add_if(flag, mad_graph(z, 1, 1));
  const NodeId part = graph.add_child(child, {.label = "part", .after = {loop}});
  expect_error(Code::invalid_argument, {"'part'", "'loop'"},
               [&] { graph.add_dependency(part, loop); });
  expect_error(Code::invalid_argument, {"'loop'"}, [&] { graph.add_dependency(loop, loop); });
}

TEST_P(DecisionErrors, FunctionsCanNotBeSaved) {
  Graph graph, outer;
  graph.add_if([] { return 1u; }, mad_graph(y, 1, 1), {.label = "asks"});
  outer.add_repeat(1, graph, {.label = "outer"});
  const ScratchFolder folder;
  expect_error(Code::unsupported, {"in n0 'outer'", "'asks'", "a function of this process"},
               [&] { outer.save(folder.path()); });
}

TEST_P(DecisionErrors, BranchesThatAreNotThereAreRefused) {
  Graph graph;
  const NodeId plain = add_mad(graph, y, 1, 1);
  const NodeId decision = graph.add_if(flag, mad_graph(y, 1, 1));
  GraphExec exec = graph.instantiate(device());
  expect_error(Code::invalid_argument, {"decides nothing"}, [&] { exec.branch(plain, 0); });
  expect_error(Code::invalid_argument, {"has 1 branch, so"}, [&] { exec.branch(decision, 1); });
  expect_error(Code::invalid_argument, {"no node n7"}, [&] { exec.branch(node(7), 0); });
}

// A graph within itself is a copy of what it was.
TEST_P(DecisionErrors, AGraphThatHoldsItselfHoldsWhatItWas) {
  Graph graph = mad_graph(y, 1, 1);
  graph.add_repeat(2, graph);
  graph.add_repeat(2, graph);
  run(graph.instantiate(device()));
  EXPECT_EQ(first(y), 1u + 2 + 2 * 3);
  Graph deep = mad_graph(y, 1, 1);
  const auto nest = [&] {
    for (std::uint32_t i = 0; i <= Graph::max_depth; ++i) {
      Graph outer;
      outer.add_repeat(1, deep);
      deep = outer;
    }
  };
  expect_error(Code::invalid_argument, {"at most 256"}, [&] { nest(); });
}

// Both branches of each are the one before: a thirtieth would have a thousand million nodes.
TEST_P(DecisionErrors, GraphsThatDoubleAreRefusedBeforeTheyAreTooLarge) {
  Graph doubled = mad_graph(y, 1, 1);
  const auto doubles = [&](int times) {
    for (int i = 0; i < times; ++i) {
      Graph outer;
      outer.add_if(flag, doubled, doubled);
      doubled = outer;
    }
  };
  doubles(20);
  expect_error(Code::invalid_argument, {"nodes", "at most 16777216"}, [&] { doubles(10); });

  // What was replaced no longer counts.
  Graph half = mad_graph(y, 1, 1), holder;
  for (int i = 0; i < 22; ++i) {
    Graph outer;
    outer.add_if(flag, half, half);
    half = outer;
  }
  const NodeId place = holder.add_child(half);
  for (int i = 0; i < 5; ++i) holder.replace(place, half);
  Graph outer;
  outer.add_child(holder);
  EXPECT_EQ(outer.node_count(), 1u);
}

}  // namespace
}  // namespace reel::test
