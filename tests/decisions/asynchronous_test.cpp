// Launches of graphs that decide return, and a thread of the stream decides.
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

#include "decisions/pick.hpp"

namespace reel::test {
namespace {

// Holds a stream until somebody lets it go.
class Gate {
 public:
  explicit Gate(const Stream& stream) {
    stream.host_call([opened = opened_.get_future().share()] { opened.wait(); }, "gate");
  }
  ~Gate() {
    if (!is_open_) open();
  }
  void open() {
    is_open_ = true;
    opened_.set_value();
  }

 private:
  bool is_open_ = false;
  std::promise<void> opened_;
};

class AsynchronousDecisions : public DecidingTest {
 protected:
  // Adds `add` to y as often as x says.
  Graph counted(std::uint32_t add) const {
    Graph body, graph;
    add_mad(body, y, 1, add);
    count_down(body, flag);
    add_pick(graph, x, flag, 1000);
    graph.add_while(flag, body, {.label = "loop"});
    return graph;
  }
};
INSTANTIATE_TEST_SUITE_P(Each, AsynchronousDecisions, every_way_to_decide(), device_name);

TEST_P(AsynchronousDecisions, ALaunchReturnsBeforeItsWorkBegins) {
  set(x, 20);
  const GraphExec exec = counted(2).instantiate(device());
  Gate gate(stream);
  exec.launch(stream);
  mad(stream, y, 10, 1);  // after all of it
  EXPECT_FALSE(stream.done());
  gate.open();
  stream.synchronize();
  EXPECT_EQ(first(y), 401u);
}

TEST_P(AsynchronousDecisions, AFunctionThatTakesItsTimeHoldsUpTheStreamAlone) {
  std::promise<void> asked;
  Graph graph;
  graph.add_if(
      [&, future = asked.get_future().share()] {
        future.wait();
        return 1u;
      },
      mad_graph(y, 1, 7));
  const GraphExec exec = graph.instantiate(device());
  exec.launch(stream);
  const Stream other = device().stream("other");
  mad(other, z, 1, 4);
  EXPECT_EQ(other.read_now<std::uint32_t>(z).front(), 4u);
  asked.set_value();
  stream.synchronize();
  EXPECT_EQ(first(y), 7u);
}

TEST_P(AsynchronousDecisions, ALaunchInFlightKeepsTheParametersItStartedWith) {
  Graph graph;
  const NodeId decision = graph.add_if(flag, mad_graph(y, 1, 0), mad_graph(z, 1, 1));
  const NodeId loop = graph.add_repeat(2, mad_graph(w, 1, 1));
  GraphExec exec = graph.instantiate(device());
  set(flag, 1);
  std::uint32_t sum = 0;
  {
    Gate gate(stream);
    for (std::uint32_t i = 1; i <= 12; ++i) {
      exec.branch(decision, 0).set_argument(node(0), 2, i);
      exec.set_enabled(loop, i % 2 == 0);
      exec.launch(stream);
      sum += i;
    }
    exec.branch(decision, 0).set_argument(node(0), 2, std::uint32_t{1000});
  }
  stream.synchronize();
  EXPECT_EQ(first(y), sum);
  EXPECT_EQ(first(z), 0u);
  EXPECT_EQ(first(w), 12u);
}

TEST_P(AsynchronousDecisions, ABranchLaunchedByItselfKeepsTheParametersItStartedWith) {
  Graph graph;
  const NodeId whole = graph.add_repeat(1, counted(1));
  GraphExec exec = graph.instantiate(device());
  GraphExec& branch = exec.branch(whole, 0);
  set(x, 10);
  {
    Gate gate(stream);
    for (const std::uint32_t add : {1u, 20u, 300u}) {
      branch.branch(node(1), 0).set_argument(node(0), 2, add);
      branch.launch(stream);
    }
    branch.branch(node(1), 0).set_argument(node(0), 2, std::uint32_t{4000});
  }
  stream.synchronize();
  EXPECT_EQ(first(y), 3210u);
}

// Vulkan leaves what has to be asked to whoever waits, if that is soon.
TEST_P(AsynchronousDecisions, ALoopGoesOnThoughNobodyWaitsForIt) {
  if (!is("vulkan")) return;  // elsewhere memory that is being written can't be looked at
  set(x, 30);
  const GraphExec exec = counted(1).instantiate(device());
  const Stream other = device().stream("other");
  for (std::uint32_t launch = 1; launch <= 3; ++launch) {
    exec.launch(stream);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (other.read_now<std::uint32_t>(y).front() != 30 * launch)
      ASSERT_LT(std::chrono::steady_clock::now(), until);
  }
  // Nor does anybody who waits on another stream for an event of this one.
  exec.launch(stream);
  const Event event = device().event("after");
  stream.record(event);
  other.wait(event);
  EXPECT_EQ(other.read_now<std::uint32_t>(y).front(), 120u);
}

// All of them find the launch done, whichever of them has seen to it.
TEST_P(AsynchronousDecisions, SeveralThreadsMayWaitForOneLaunch) {
  constexpr std::uint32_t launches = 20;
  set(x, 20);
  const GraphExec exec = counted(1).instantiate(device());
  for (std::uint32_t launch = 1; launch <= launches; ++launch) {
    exec.launch(stream);
    std::vector<std::thread> threads;
    std::atomic<std::uint32_t> right = 0;
    for (std::uint32_t i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        if (i == 2)
          while (!stream.done()) std::this_thread::yield();
        else
          stream.synchronize();
        if (device().stream("look").read_now<std::uint32_t>(y).front() == 20 * launch) ++right;
      });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(right, 3u) << "launch " << launch;
  }
}

TEST_P(AsynchronousDecisions, AnExecMayGoWhileItsLaunchesAreInFlight) {
  set(x, 30);
  {
    Gate gate(stream);
    counted(1).instantiate(device()).launch(stream);
    counted(3).instantiate(device()).launch(stream);
  }
  stream.synchronize();
  EXPECT_EQ(first(y), 120u);
}

TEST_P(AsynchronousDecisions, AStreamMayGoWhileItsLaunchesAreInFlight) {
  set(x, 40);
  const GraphExec exec = counted(1).instantiate(device());
  {
    const Stream gone = device().stream("gone");
    exec.launch(gone);
    exec.launch(gone);
  }
  EXPECT_EQ(first(y), 80u);
}

TEST_P(AsynchronousDecisions, EventsComeAfterTheDecisionsBeforeThem) {
  set(x, 25);
  const GraphExec exec = counted(1).instantiate(device());
  const Stream other = device().stream("other");
  for (std::uint32_t round = 1; round <= 5; ++round) {
    exec.launch(stream);
    Event done = device().event("done");
    stream.record(done);
    other.wait(done);
    mad(other, y, 2, 0);
    Event doubled = device().event("doubled");
    other.record(doubled);
    stream.wait(doubled);
  }
  stream.synchronize();
  std::uint32_t expected = 0;
  for (int round = 0; round < 5; ++round) expected = 2 * (expected + 25);
  EXPECT_EQ(first(y), expected);
}

// Clones share nothing that a launch writes but what the graph names.
TEST_P(AsynchronousDecisions, OfManyThreadsAndStreamsKeepToTheirOwn) {
  constexpr std::uint32_t threads = 4, launches = 25;
  const GraphExec first_exec = counted(1).instantiate(device());
  struct Own {
    Buffer x, y, flag;
  };
  std::vector<Own> own;
  for (std::uint32_t i = 0; i < threads; ++i) {
    const std::string number = std::to_string(i);
    own.push_back({make("x" + number), make("y" + number), make("flag" + number)});
    set(own[i].x, 3 + 5 * i);
  }
  std::vector<GraphExec> execs;
  for (std::uint32_t i = 0; i < threads; ++i) {
    execs.push_back(first_exec.clone());
    execs.back().bind({{"x", own[i].x}, {"y", own[i].y}, {"flag", own[i].flag}});
  }
  std::vector<std::thread> running;
  std::atomic<int> failed = 0;
  for (std::uint32_t i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      try {
        const Stream mine = device().stream("mine");
        for (std::uint32_t launch = 0; launch < launches; ++launch) {
          execs[i].launch(mine);
          if (launch % 7 == i) mine.synchronize();
        }
        mine.synchronize();
      } catch (const Error& error) {
        ++failed;
        std::fprintf(stderr, "%s\n", error.what());
      }
    });
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(failed, 0);
  for (std::uint32_t i = 0; i < threads; ++i)
    EXPECT_EQ(first(own[i].y), launches * (3 + 5 * i)) << "thread " << i;
}

// Chunks of rounds, whatever their number.
TEST_P(AsynchronousDecisions, LoopsRunAsManyRoundsAsTheyShould) {
  const GraphExec exec = counted(1).instantiate(device());
  for (const std::uint32_t rounds : {0u, 1u, 7u, 8u, 9u, 16u, 17u, 100u}) {
    set(x, rounds);
    set(y, 0);
    run(exec);
    EXPECT_EQ(first(y), rounds);
  }
  for (const std::uint64_t count : {1u, 31u, 32u, 33u, 70u}) {
    Graph graph;
    graph.add_repeat(count, mad_graph(z, 1, 1));
    set(z, 0);
    run(graph.instantiate(device()));
    EXPECT_EQ(first(z), count);
  }
}

TEST_P(AsynchronousDecisions, LimitsAreKeptToTheRound) {
  Graph body, graph;
  add_mad(body, y, 1, 1);
  graph.add_while(flag, body, {.label = "spin"}, {.iterations = 21});
  const GraphExec exec = graph.instantiate(device());
  set(flag, 1);
  expect_error(Code::timed_out, {"'spin'", "after 21 rounds"}, [&] { run(exec); });
  EXPECT_EQ(first(y), 21u);
}

}  // namespace
}  // namespace reel::test
