// Temporaries: memory that nodes of a graph share by when they need it.
#include <gmock/gmock.h>

#include <random>

#include "decisions/pick.hpp"
#include "recording/captured.hpp"
#include "reel/replay.hpp"

namespace reel::test {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t size = 4 * word_count;

class Temporaries : public DecidingTest {
 protected:
  static Buffer temporary(const std::string& label) { return Graph::temporary(size, label); }
};
INSTANTIATE_TEST_SUITE_P(Each, Temporaries, every_device(), device_name);

TEST_P(Temporaries, ThatAreNeverInUseTogetherShareBytes) {
  const Buffer a = temporary("a"), b = temporary("b"), c = temporary("c");
  Graph graph;
  graph.add_copy(a, x);
  add_mad(graph, a, 2, 1);
  add_mix(graph, a, x, b, 3);  // a and b at once
  graph.add_copy(c, b);        // c may have a's place
  add_mad(graph, c, 1, 100);
  graph.add_copy(y, c);
  const GraphExec exec = graph.instantiate(device());
  const Footprint footprint = exec.footprint();
  EXPECT_EQ(footprint.temporary_bytes, 3 * size);
  EXPECT_EQ(footprint.packed_bytes, 2 * size);
  EXPECT_GE(footprint.device_bytes, footprint.packed_bytes);
  for (const std::uint32_t value : {5u, 9u}) {
    set(x, value);
    run(exec);
    EXPECT_EQ(contents(y), words(3 * (2 * value + 1) + value + 100));
  }
}

// The loop comes back to what lies there.
TEST_P(Temporaries, ThatGoThroughALoopLiveAsLongAsTheLoop) {
  const Buffer outside = temporary("outside"), inside = temporary("inside");
  Graph body, graph;
  add_mix(body, outside, y, z, 1);  // the last use of `outside`, by its place
  graph.add_copy(outside, x);
  body.add_copy(inside, z);
  body.add_copy(y, inside);
  graph.add_repeat(3, body);
  const GraphExec exec = graph.instantiate(device());
  EXPECT_EQ(exec.footprint().packed_bytes, 2 * size);
  set(x, 7);
  run(exec);
  EXPECT_EQ(first(y), 21u);
}

TEST_P(Temporaries, OfTwoBranchesShareBytes) {
  const Buffer a = temporary("a"), b = temporary("b");
  Graph then, otherwise, graph;
  then.add_copy(a, x);
  then.add_copy(y, a);
  otherwise.add_copy(b, z);
  otherwise.add_copy(y, b);
  graph.add_if(flag, then, otherwise);
  const GraphExec exec = graph.instantiate(device());
  EXPECT_EQ(exec.footprint().packed_bytes, size);
  set(x, 1);
  set(z, 2);
  run(exec);
  EXPECT_EQ(first(y), 2u);
  set(flag, 1);
  run(exec);
  EXPECT_EQ(first(y), 1u);
}

TEST_P(Temporaries, ThatMayBeReadBeforeTheyAreWrittenAreRefusedByName) {
  const Buffer a = temporary("a"), b = temporary("b");
  Graph early;
  add_mad(early, a, 1, 1);
  expect_error(Code::invalid_argument, {"n0 'mul_add' (dispatch)", "temporary 'a'", "before"},
               [&] { early.instantiate(device()); });
  Graph write, maybe;
  write.add_copy(a, x);
  maybe.add_if(flag, write);
  maybe.add_copy(y, a);
  expect_error(Code::invalid_argument, {"n1 (copy)", "temporary 'a'", "surely"},
               [&] { maybe.instantiate(device()); });
  Graph surely;
  surely.add_repeat(1, write);
  surely.add_copy(y, a);
  set(x, 3);
  run(surely.instantiate(device()));
  EXPECT_EQ(first(y), 3u);
  for (const Buffer& nowhere : {a, b}) {
    expect_error(Code::invalid_argument, {nowhere.label(), "no device", "read()"},
                 [&] { nowhere.read<std::uint32_t>(); });
    expect_error(Code::invalid_argument, {nowhere.label(), "no device", "write()"},
                 [&] { nowhere.write(words(1)); });
  }
  expect_error(Code::invalid_argument, {"'none' has no bytes"},
               [&] { static_cast<void>(Graph::temporary(0, "none")); });
}

TEST_P(Temporaries, ThatEveryBranchWritesWereWritten) {
  const Buffer a = temporary("a");
  const auto writes = [&](std::uint64_t first, std::uint64_t count, const Buffer& from) {
    Graph graph;
    graph.add_copy(a.range(first, count), from.range(first, count));
    return graph;
  };
  Graph otherwise = writes(0, size / 2, z);
  otherwise.add_copy(a.range(size / 2, size / 2), z.range(size / 2, size / 2));
  Graph graph;
  graph.add_if(flag, writes(0, size, x), otherwise);
  graph.add_copy(y, a);
  const GraphExec exec = graph.instantiate(device());
  set(x, 1);
  set(z, 2);
  for (const std::uint32_t way : {1u, 0u, 1u}) {
    set(flag, way);
    run(exec);
    EXPECT_EQ(first(y), way ? 1u : 2u);
  }
  // Half of it only, a case that doesn't, a branch that isn't there, a loop that may not run.
  const auto refused = [&](Graph maybe) {
    maybe.add_copy(y, a);
    expect_error(Code::invalid_argument, {"temporary 'a'", "surely"},
                 [&] { maybe.instantiate(device()); });
  };
  Graph half, some, alone, loop;
  half.add_if(flag, writes(0, size / 2, x), writes(0, size, x));
  some.add_switch(flag, std::vector{writes(0, size, x), writes(0, size, z), Graph()});
  alone.add_if(flag, writes(0, size, x));
  loop.add_while(flag, writes(0, size, x));
  for (const Graph& one : {half, some, alone, loop}) refused(one);
  Graph all;
  all.add_switch(flag, std::vector{writes(0, size, x), writes(0, size, z)});
  all.add_copy(y, a);
  set(flag, 1);
  run(all.instantiate(device()));
  EXPECT_EQ(first(y), 2u);
}

TEST_P(Temporaries, AreSavedGivenAndUpdated) {
  const Buffer a = temporary("a"), b = temporary("b");
  const auto graph_of = [&](const Buffer& one, const Buffer& two, std::uint32_t add) {
    Graph graph;
    graph.add_copy(one, x);
    add_mad(graph, one, 1, add);
    graph.add_copy(y, one);
    graph.add_copy(two, y);
    add_mad(graph, two, 2, 0);
    graph.add_copy(z, two);
    return graph;
  };
  const Graph graph = graph_of(a, b, 1);
  const ScratchFolder folder;
  graph.save(folder.path());
  const Graph loaded = Graph::load(folder.path());
  GraphExec from_file = loaded.instantiate(device(), {.buffers = {{"x", x}, {"y", y}, {"z", z}}});
  EXPECT_EQ(from_file.footprint().packed_bytes, size);
  set(x, 4);
  run(from_file);
  EXPECT_EQ(first(z), 10u);

  const GraphExec given = graph.instantiate(device(), {.buffers = {{"a", w}}});
  EXPECT_EQ(given.footprint().temporary_bytes, size);
  run(given);
  EXPECT_EQ(first(w), 5u);

  GraphExec exec = graph.instantiate(device());
  EXPECT_EQ(why(exec.update(graph_of(a, b, 6))), "");
  run(exec);
  EXPECT_EQ(first(z), 20u);
  // Where both are needed at once, their bytes can't be one.
  Graph together;
  together.add_copy(a, x);
  add_mad(together, a, 1, 1);
  together.add_copy(b, a);
  together.add_copy(y, a);
  add_mad(together, b, 2, 0);
  together.add_copy(z, b);
  EXPECT_THAT(why(exec.update(together)), HasSubstr("temporaries"));
}

// Two launches at once, each between writing and reading its temporaries.
TEST_P(Temporaries, OfClonesAreTheirOwn) {
  const Buffer held = temporary("held"), decided = temporary("decided");
  const Gate gate;
  std::atomic<int> calls = 0;
  Graph inside, graph;
  inside.add_host_call([&, hold = gate.holding()] {
    if (calls++ == 0) hold();
  });
  inside.add_copy(y, held);
  graph.add_copy(held, x);
  graph.add_copy(decided, flag);
  const NodeId off = add_mad(graph, held, 1, 1000);
  graph.add_if(BufferRange(decided, 0, 4), inside);
  graph.add_copy(z, decided);
  GraphExec exec = graph.instantiate(device());
  exec.set_enabled(off, false);
  const Buffer x2 = make("x2"), y2 = make("y2"), z2 = make("z2"), flag2 = make("flag2");
  exec.bind({{"x", x2}, {"y", y2}, {"z", z2}, {"flag", flag2}});
  GraphExec other = exec.clone();
  other.bind({{"x", x}, {"y", y}, {"z", z}, {"flag", flag}});
  EXPECT_EQ(other.footprint().packed_bytes, exec.footprint().packed_bytes);
  set(x, 5);
  set(flag, 1);
  set(x2, 7);
  set(flag2, 2);
  const Stream beside = device().stream("beside");
  other.launch(stream);
  gate.wait_until_reached();
  exec.launch(beside);
  beside.synchronize();
  gate.open();
  stream.synchronize();
  EXPECT_EQ(contents(y), words(5));
  EXPECT_EQ(contents(z), words(1));
  EXPECT_EQ(contents(y2), words(7));
  EXPECT_EQ(contents(z2), words(2));
}

TEST_P(Temporaries, AreCapturedAndReplayed) {
  const Buffer a = temporary("a"), b = temporary("b");
  Graph graph;
  graph.add_copy(a, x);
  graph.add_copy(y, a);
  graph.add_copy(b, y);
  add_mad(graph, b, 3, 1);
  graph.add_copy(z, b);
  const GraphExec exec = graph.instantiate(device());
  set(x, 2);
  const Trace trace = captured([&] { run(exec); }, {.contents = Contents::all});
  EXPECT_EQ(first(z), 7u);
  EXPECT_EQ(replay(trace, device()).verdict(), Verdict::equal);
}

// Random lines of nodes over temporaries, some in loops and branches, against plain numbers.
TEST_P(Temporaries, KeepWhatTheyHoldForAsLongAsItIsNeeded) {
  std::uint64_t saved = 0;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    std::vector<Buffer> temporaries;
    std::vector<std::optional<std::uint32_t>> values;  // none: not written yet
    for (int i = 0; i < 8; ++i) {
      temporaries.push_back(Graph::temporary(size * (1 + below(2)), "t" + std::to_string(i)));
      values.emplace_back();
    }
    std::uint32_t y_value = 1;
    set(x, 5);
    set(y, y_value);
    // Each block is given `rounds` times; what it reads is written before, in it or outside.
    const auto block = [&](Graph& graph, std::uint32_t rounds) {
      std::vector<std::function<void()>> meant;
      std::vector<bool> written;
      for (const auto& value : values) written.push_back(value.has_value());
      for (std::uint32_t i = 0; i < 1 + below(6); ++i) {
        const std::uint32_t t = below(8), s = below(8);
        const BufferRange target(temporaries[t], 0, size), source(temporaries[s], 0, size);
        if (!written[t] || below(4) == 0) {
          graph.add_copy(target, y);
          meant.emplace_back([&, t] { values[t] = y_value; });
          written[t] = true;
        } else if (written[s] && s != t && below(2) == 0) {
          add_mix(graph, source, x, target, 3);
          meant.emplace_back([&, t, s] { values[t] = 3 * *values[s] + 5; });
        } else {
          add_mix(graph, target, x, y, 2);
          meant.emplace_back([&, t] { y_value = 2 * *values[t] + 5; });
        }
      }
      for (std::uint32_t round = 0; round < rounds; ++round)
        for (const auto& step : meant) step();
    };
    Graph graph;
    for (std::uint32_t i = 0; i < 6; ++i) {
      const std::uint32_t rounds = 1 + below(3);
      if (rounds == 1) {
        block(graph, 1);
        continue;
      }
      Graph body;
      block(body, rounds);
      graph.add_repeat(rounds, body);
    }
    const GraphExec exec = graph.instantiate(device());
    const Footprint footprint = exec.footprint();
    ASSERT_LE(footprint.packed_bytes, footprint.temporary_bytes + 8 * 256);
    saved +=
        footprint.temporary_bytes - std::min(footprint.temporary_bytes, footprint.packed_bytes);
    run(exec);
    ASSERT_EQ(contents(y), words(y_value));
  }
  EXPECT_GT(saved, 0u);  // else nothing was tried
}

}  // namespace
}  // namespace reel::test
