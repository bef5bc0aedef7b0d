// Random graphs against plain memory: what would show a missing hazard or a wrong order.
#include <random>

#include "random_work.hpp"
#include "recording_test.hpp"

namespace reel::test {
namespace {

class RandomGraph : public RecordingTest {
 protected:
  Stream stream;
  WorkKernels kernels;

  void SetUp() override {
    RecordingTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    stream = device().stream("line");
    kernels = {mad_kernel, mix_kernel, build(reverse_source())};
  }

  // Small slots make many hazards, large ones give races time to show.
  static WorkOptions options_of(std::uint32_t seed) {
    return {.commands = 20 + seed % 80, .slot_bytes = seed % 4 == 3 ? 16384u : 256u};
  }

  // However it is instantiated, launching three times gives the bytes of `order` run three times.
  void expect_reference(RandomWork& work, const Graph& graph,
                        const std::vector<std::size_t>& order) {
    const Outcome expected = work.reference(order, 3);
    for (const bool relax : {true, false})
      for (const bool reorder : {true, false}) {
        const GraphExec exec =
            graph.instantiate(device(), {.relax_order = relax, .reorder = reorder});
        work.reset();
        for (int launch = 0; launch < 3; ++launch) exec.launch(stream);
        stream.synchronize();
        ASSERT_EQ(difference(expected, work.outcome()), "")
            << "relax_order " << relax << ", reorder " << reorder;
      }
  }

  static std::vector<std::size_t> indices(const std::vector<NodeId>& nodes) {
    std::vector<std::size_t> result;
    for (const NodeId id : nodes) result.push_back(index_of(id));
    return result;
  }
  static std::vector<std::size_t> in_order(std::size_t count) {
    std::vector<std::size_t> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = i;
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(Each, RandomGraph, every_device(), device_name);

TEST_P(RandomGraph, TheReferenceItselfAgreesWithADirectRun) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    RandomWork work(device(), kernels, seed, options_of(seed));
    work.give_all(stream);
    stream.synchronize();
    ASSERT_EQ(difference(work.reference(), work.outcome()), "") << "seed " << seed;
  }
}

TEST_P(RandomGraph, HazardsAloneKeepTheBytes) {
  for (std::uint32_t seed = 100; seed < 112; ++seed) {
    SCOPED_TRACE(seed);
    RandomWork work(device(), kernels, seed, options_of(seed));
    Graph graph;
    for (std::size_t i = 0; i < work.size(); ++i) work.add(graph, i);
    expect_reference(work, graph, in_order(work.size()));
    if (HasFatalFailure()) return;
  }
}

TEST_P(RandomGraph, AskedDependenciesOfAnyDirectionAreKept) {
  for (std::uint32_t seed = 200; seed < 212; ++seed) {
    SCOPED_TRACE(seed);
    RandomWork work(device(), kernels, seed, options_of(seed));
    std::mt19937 random(seed);
    Graph graph;
    for (std::size_t i = 0; i < work.size(); ++i) work.add(graph, i);
    for (int tries = 0; tries < 30; ++tries) {
      try {
        graph.add_dependency(node(random() % work.size()), node(random() % work.size()));
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::invalid_argument) << error.what();  // self, twice, a cycle
      }
    }
    expect_reference(work, graph, indices(graph.topological_order()));
    if (HasFatalFailure()) return;
  }
}

TEST_P(RandomGraph, ACapturedStreamKeepsTheBytes) {
  for (std::uint32_t seed = 300; seed < 310; ++seed) {
    SCOPED_TRACE(seed);
    RandomWork work(device(), kernels, seed, options_of(seed));
    auto capture = StreamCapture::begin(stream);
    work.give_all(stream);
    expect_reference(work, capture.end(), in_order(work.size()));
    if (HasFatalFailure()) return;
  }
}

// Streams that are not ordered by events are ordered by hazards, in the order of the calls.
TEST_P(RandomGraph, ForkedStreamsKeepTheBytes) {
  for (std::uint32_t seed = 400; seed < 412; ++seed) {
    SCOPED_TRACE(seed);
    RandomWork work(device(), kernels, seed, options_of(seed));
    std::mt19937 random(seed);
    const std::vector<Stream> lines = {stream, device().stream("second"), device().stream("third")};
    const Event event = device().event("turn");
    auto capture = StreamCapture::begin(stream);
    stream.record(event);
    for (const Stream& line : lines)
      if (line.id() != stream.id()) line.wait(event);
    for (std::size_t i = 0; i < work.size(); ++i) {
      work.give(lines[random() % lines.size()], i);
      if (random() % 4 == 0) {
        lines[random() % lines.size()].record(event);
        lines[random() % lines.size()].wait(event);
      }
    }
    for (const Stream& line : lines) {
      line.record(event);
      stream.wait(event);
    }
    expect_reference(work, capture.end(), in_order(work.size()));
    if (HasFatalFailure()) return;
  }
}

TEST_P(RandomGraph, ChildrenKeepTheBytes) {
  for (std::uint32_t seed = 500; seed < 510; ++seed) {
    SCOPED_TRACE(seed);
    RandomWork work(device(), kernels, seed, options_of(seed));
    std::mt19937 random(seed);
    Graph graph;
    for (std::size_t i = 0; i < work.size();) {
      if (random() % 3) {
        work.add(graph, i++);
        continue;
      }
      Graph child;
      for (std::size_t end = std::min(work.size(), i + 1 + random() % 8); i < end; ++i)
        work.add(child, i);
      graph.add_child(child);
    }
    expect_reference(work, graph, in_order(work.size()));
    if (HasFatalFailure()) return;
  }
}

TEST_P(RandomGraph, TimedLaunchesAndClonesKeepTheBytes) {
  for (std::uint32_t seed = 600; seed < 608; ++seed) {
    SCOPED_TRACE(seed);
    RandomWork work(device(), kernels, seed, options_of(seed));
    auto capture = StreamCapture::begin(stream);
    work.give_all(stream);
    const GraphExec exec = capture.end().instantiate(device());
    const GraphExec clone = exec.clone();
    work.reset();
    clone.launch(stream);
    if (info().can_stamp_time) {
      exec.launch_timed(stream).wait();
    } else {
      exec.launch(stream);
    }
    clone.launch(stream);
    stream.synchronize();
    ASSERT_EQ(difference(work.reference(3), work.outcome()), "");
  }
}

// Disabled nodes are gone, and what is left is still in order.
TEST_P(RandomGraph, DisabledNodesAreLeftOut) {
  for (std::uint32_t seed = 700; seed < 710; ++seed) {
    SCOPED_TRACE(seed);
    RandomWork work(device(), kernels, seed, options_of(seed));
    std::mt19937 random(seed);
    Graph graph;
    for (std::size_t i = 0; i < work.size(); ++i) work.add(graph, i);
    GraphExec exec = graph.instantiate(device());
    for (int round = 0; round < 3; ++round) {
      std::vector<std::size_t> left;
      for (std::size_t i = 0; i < work.size(); ++i) {
        const bool enabled = random() % 3 != 0;
        if (std::holds_alternative<Barrier>(graph.node(node(i)).command.work)) continue;
        exec.set_enabled(node(i), enabled);
        if (enabled) left.push_back(i);
      }
      work.reset();
      exec.launch(stream);
      stream.synchronize();
      ASSERT_EQ(difference(work.reference(left), work.outcome()), "");
    }
  }
}

// An exec of one random pass takes over another of the same shape: all parameters, nothing else.
TEST_P(RandomGraph, AnUpdateThatIsTakenGivesTheBytesOfTheNewGraph) {
  int taken = 0;
  for (std::uint32_t seed = 800; seed < 840; ++seed) {
    SCOPED_TRACE(seed);
    const WorkOptions small{.commands = 2 + seed % 10, .kinds_seed = seed};
    RandomWork before(device(), kernels, seed, small);
    Graph first;
    for (std::size_t i = 0; i < before.size(); ++i) before.add(first, i);
    GraphExec exec = first.instantiate(device());
    for (std::uint32_t other = 0; other < 10; ++other) {
      RandomWork after(device(), kernels, 1000 * seed + other, small);
      Graph second;
      for (std::size_t i = 0; i < after.size(); ++i) after.add(second, i);
      if (exec.update(second)) continue;
      ++taken;
      after.reset();
      exec.launch(stream);
      stream.synchronize();
      ASSERT_EQ(difference(after.reference(), after.outcome()), "") << "after update " << other;
      ASSERT_EQ(why(exec.update(first)), "");
    }
    before.reset();
    exec.launch(stream);
    stream.synchronize();
    ASSERT_EQ(difference(before.reference(), before.outcome()), "");
  }
  EXPECT_GT(taken, 0) << "the test has tested nothing";
}

}  // namespace
}  // namespace reel::test
