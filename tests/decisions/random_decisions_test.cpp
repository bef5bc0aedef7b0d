// Random nested programs of if, while, switch and repeat, against a plain interpreter: launched,
// from a file, updated, cloned, timed, and captured and replayed.
#include <array>
#include <future>
#include <random>

#include "decisions/pick.hpp"
#include "recording/captured.hpp"
#include "reel/replay.hpp"
#include "replay/told.hpp"

namespace reel::test {
namespace {

constexpr std::size_t data_count = 4, flag_count = 4;
constexpr std::uint32_t fewest_flag = data_count;  // buffers from here on hold conditions

// All words of a data buffer are equal, and of a flag only the first counts: a value each is
// enough.
using Memory = std::array<std::uint32_t, data_count + flag_count>;

struct Statement {
  enum class Kind { mad, mix, copy, fill, pick, count_down, decide } kind = Kind::mad;
  std::uint32_t target = 0, source = 0, other = 0;  // buffers
  std::uint32_t a = 0, b = 0;
  DecisionKind decision = DecisionKind::if_else;
  std::vector<std::vector<Statement>> branches = {};
};
using Block = std::vector<Statement>;

// --- what is meant -------------------------------------------------------------------------------

void interpret(const Block& block, Memory& m);

void interpret(const Statement& s, Memory& m) {
  using Kind = Statement::Kind;
  switch (s.kind) {
    case Kind::mad:
      m[s.target] = s.a * m[s.target] + s.b;
      return;
    case Kind::mix:
      m[s.target] = s.a * m[s.source] + m[s.other];
      return;
    case Kind::copy:
      m[s.target] = m[s.source];
      return;
    case Kind::fill:
      m[s.target] = s.a;
      return;
    case Kind::pick:
      m[s.target] = picked(m[s.source], m[s.target], s.a);
      return;
    case Kind::count_down:
      m[s.target] = picked(0, m[s.target], 0);
      return;
    case Kind::decide:
      break;
  }
  switch (s.decision) {
    case DecisionKind::if_else:
      if (m[s.source])
        interpret(s.branches[0], m);
      else if (s.branches.size() == 2)
        interpret(s.branches[1], m);
      return;
    case DecisionKind::while_loop:
      while (m[s.source]) interpret(s.branches[0], m);
      return;
    case DecisionKind::switch_case:
      interpret(s.branches[m[s.source]], m);
      return;
    case DecisionKind::repeat:
      for (std::uint32_t i = 0; i < s.a; ++i) interpret(s.branches[0], m);
      return;
  }
}

void interpret(const Block& block, Memory& m) {
  for (const Statement& s : block) interpret(s, m);
}

// --- programs ------------------------------------------------------------------------------------

// Each nested level has a flag of its own, so that what decides over a loop is not written in it
// but by its count.
class Author {
 public:
  explicit Author(std::uint32_t seed) : random_(seed) {}

  Block block(std::uint32_t depth) {
    Block result;
    const std::uint32_t count = 1 + below(4);
    for (std::uint32_t i = 0; i < count; ++i)
      if (depth < flag_count && below(2) == 0)
        decide(result, depth);
      else
        result.push_back(plain());
    return result;
  }

  // The same program with other numbers: what an update takes over.
  void renumber(Block& block) {
    for (Statement& s : block) {
      if (s.kind == Statement::Kind::mad || s.kind == Statement::Kind::mix) {
        s.a = below(5);
        s.b = below(100);
      }
      if (s.kind == Statement::Kind::decide && s.decision == DecisionKind::repeat) s.a = below(4);
      for (Block& branch : s.branches) renumber(branch);
    }
  }

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

 private:
  Statement plain() {
    using Kind = Statement::Kind;
    constexpr std::array kinds{Kind::mad, Kind::mad, Kind::mix, Kind::copy, Kind::fill};
    Statement s{.kind = kinds[below(kinds.size())]};
    s.target = below(data_count);
    do s.source = below(data_count);
    while (s.source == s.target);
    do s.other = below(data_count);
    while (s.other == s.target);
    s.a = below(5);
    s.b = below(100);
    return s;
  }

  void decide(Block& result, std::uint32_t depth) {
    const std::uint32_t flag = fewest_flag + depth;
    Statement s{.kind = Statement::Kind::decide, .source = flag};
    s.decision = static_cast<DecisionKind>(below(4));
    const std::uint32_t branches = s.decision == DecisionKind::switch_case ? 1 + below(4)
                                   : s.decision == DecisionKind::if_else   ? 1 + below(2)
                                                                           : 1;
    for (std::uint32_t i = 0; i < branches; ++i) s.branches.push_back(block(depth + 1));
    if (s.decision == DecisionKind::while_loop)
      s.branches[0].push_back({.kind = Statement::Kind::count_down, .target = flag});
    s.a = below(4);  // of a repeat
    if (s.decision != DecisionKind::repeat)
      result.push_back({.kind = Statement::Kind::pick,
                        .target = flag,
                        .source = below(data_count),
                        .a = s.decision == DecisionKind::switch_case ? branches
                             : depth + 1 == flag_count || below(8) != 0
                                 ? 1 + below(4)
                                 : 1 + below(20)});  // more rounds than a device takes at once
    result.push_back(std::move(s));
  }

  std::mt19937 random_;
};

class RandomDecisions : public DecidingTest {
 protected:
  void SetUp() override {
    DecidingTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    for (std::size_t i = 0; i < data_count + flag_count; ++i)
      buffers.push_back(make("b" + std::to_string(i)));
  }

  Graph graph_of(const Block& block) const {
    Graph graph;
    for (const Statement& s : block) add(graph, s);
    return graph;
  }

  void add(Graph& graph, const Statement& s) const {
    using Kind = Statement::Kind;
    switch (s.kind) {
      case Kind::mad:
        add_mad(graph, buffers[s.target], s.a, s.b);
        return;
      case Kind::mix:
        add_mix(graph, buffers[s.source], buffers[s.other], buffers[s.target], s.a);
        return;
      case Kind::copy:
        graph.add_copy(buffers[s.target], buffers[s.source]);
        return;
      case Kind::fill:
        graph.add_fill(buffers[s.target], s.a);
        return;
      case Kind::pick:
        add_pick(graph, buffers[s.source], buffers[s.target], s.a);
        return;
      case Kind::count_down:
        add_pick(graph, buffers[0], buffers[s.target], 0);
        return;
      case Kind::decide:
        break;
    }
    std::vector<Graph> branches;
    for (const Block& branch : s.branches) branches.push_back(graph_of(branch));
    const Buffer& condition = buffers[s.source];
    switch (s.decision) {
      case DecisionKind::if_else:
        if (branches.size() == 2)
          graph.add_if(condition, branches[0], branches[1]);
        else
          graph.add_if(condition, branches[0]);
        return;
      case DecisionKind::while_loop:
        graph.add_while(condition, branches[0]);
        return;
      case DecisionKind::switch_case:
        graph.add_switch(condition, branches);
        return;
      case DecisionKind::repeat:
        graph.add_repeat(s.a, branches[0]);
        return;
    }
  }

  Memory reset() const {
    Memory memory{};
    for (std::uint32_t i = 0; i < memory.size(); ++i) {
      memory[i] = i < data_count ? 7 * i + 3 : 0;
      set(buffers[i], memory[i]);
    }
    return memory;
  }

  void expect(const Memory& memory, std::string_view how) const {
    for (std::uint32_t i = 0; i < memory.size(); ++i) {
      const Words found = contents(buffers[i]);
      ASSERT_EQ(found.front(), memory[i]) << how << ", buffer " << i;
      ASSERT_TRUE(i >= data_count || found.back() == memory[i]) << how << ", the end of " << i;
    }
  }

  // Twice, so that what a launch leaves behind shows.
  void expect_meant(const Block& block, const GraphExec& exec, std::string_view how) const {
    Memory memory = reset();
    for (int launch = 0; launch < 2; ++launch) {
      interpret(block, memory);
      exec.launch(stream);
    }
    stream.synchronize();
    expect(memory, how);
  }

  InstantiateOptions all_buffers(const Graph& graph) const {
    InstantiateOptions options;
    for (const GraphBuffer& named : graph.buffers())
      for (const Buffer& buffer : buffers)
        if (buffer.label() == named.name) options.buffers.emplace_back(named.name, buffer);
    return options;
  }

  std::vector<Buffer> buffers;
};
INSTANTIATE_TEST_SUITE_P(Each, RandomDecisions, every_device(), device_name);

TEST_P(RandomDecisions, DoWhatTheyMeanHoweverTheyAreLaunched) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Author author(seed);
    Block block = author.block(0);
    const Graph graph = graph_of(block);
    GraphExec exec = graph.instantiate(device(), {.relax_order = true, .reorder = seed % 2 == 0});
    expect_meant(block, exec, "launched");
    if (HasFatalFailure()) return;
    expect_meant(block, exec.clone(), "a clone");
    if (HasFatalFailure()) return;
    EXPECT_TRUE(exec.graph() == graph);

    const ScratchFolder folder;
    graph.save(folder.path());
    const Graph loaded = Graph::load(folder.path());
    expect_meant(block, loaded.instantiate(device(), all_buffers(loaded)), "from a file");
    if (HasFatalFailure()) return;

    author.renumber(block);
    ASSERT_EQ(why(exec.update(graph_of(block))), "");
    expect_meant(block, exec, "updated");
    if (HasFatalFailure()) return;
    EXPECT_TRUE(exec.graph() == graph_of(block));

    Memory memory = reset();
    interpret(block, memory);
    exec.launch_timed(stream).wait();
    expect(memory, "timed");
    if (HasFatalFailure()) return;
  }
}

// All of them in flight, on two streams by turns, and updated in between.
TEST_P(RandomDecisions, InFlightKeepWhatTheyWereLaunchedWith) {
  const Stream other = device().stream("other");
  for (std::uint32_t seed = 300; seed < 330; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Author author(seed);
    Block block = author.block(0);
    GraphExec exec = graph_of(block).instantiate(device());
    Memory memory = reset();
    std::promise<void> opened;
    stream.host_call([future = opened.get_future().share()] { future.wait(); });
    const Stream* last = &stream;
    for (std::uint32_t launch = 0; launch < 6; ++launch) {
      const Stream* next = author.below(3) == 0 ? (last == &stream ? &other : &stream) : last;
      if (next != last) {
        Event event = device().event("turn");
        last->record(event);
        next->wait(event);
        last = next;
      }
      interpret(block, memory);
      exec.launch(*last);
      if (author.below(2) == 0) {
        author.renumber(block);
        EXPECT_EQ(why(exec.update(graph_of(block))), "");
      }
    }
    { const GraphExec gone = std::move(exec); }
    opened.set_value();
    last->synchronize();
    expect(memory, "in flight");
    if (HasFatalFailure()) return;
  }
}

TEST_P(RandomDecisions, AreCapturedAsTheyRanAndReplayedToTheByte) {
  for (std::uint32_t seed = 100; seed < 110; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Block block = Author(seed).block(0);
    block.push_back({.kind = Statement::Kind::mad, .target = 1, .a = 3, .b = 1});  // runs surely
    const GraphExec exec = graph_of(block).instantiate(device());
    Memory memory = reset();
    interpret(block, memory);
    const Trace trace = captured(
        [&] {
          exec.launch(stream);
          stream.synchronize();
        },
        {.contents = seed % 2 ? Contents::all : Contents::inputs});
    expect(memory, "captured");
    if (HasFatalFailure()) return;
    for (const ReplayOrder order : every_order) {
      const ReplayReport report = replay(trace, device(), {.order = order});
      EXPECT_EQ(report.verdict(), Verdict::equal) << to_string(order) << ": " << told(report);
    }
  }
}

}  // namespace
}  // namespace reel::test
