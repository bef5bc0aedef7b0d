// Random programs of which some launches end in errors, many of them in flight, with parameters
// that change in between: what ran, and which error comes out of which wait.
#include <chrono>
#include <optional>
#include <thread>

#include "decisions/program_graphs.hpp"
#include "recording/captured.hpp"
#include "reel/replay.hpp"
#include "replay/told.hpp"

namespace reel::test {
namespace {

// Launches on two streams, one after another by events. What they must do is worked out as they are
// given; an error is for the next wait on the stream that it came up on, and of several the first.
class RandomErrors : public RandomPrograms {
 protected:
  struct Lane {
    Stream stream;
    std::optional<Failure> pending = {};
    std::optional<TimedLaunch> timed = {};  // if it is the last thing on the stream
  };

  void SetUp() override {
    RandomPrograms::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    lanes = {Lane{stream}, Lane{device().stream("other")}};
  }

  enum class Held : bool { no, sometimes };  // at the first launch, until somebody waits
  void fly(std::uint32_t seed, Held held = Held::sometimes) {
    Author author(seed, Author::Writes::what_may_fail);
    forget_calls();
    Block block = author.block(0);
    GraphExec exec =
        graph_of(block).instantiate(device(), {.relax_order = true, .reorder = seed % 2 == 0});
    note_order(block, exec);
    machine = {.memory = reset()};
    std::optional<Gate> gate;
    lane = &lanes[0];
    if (author.below(3) == 0 && held == Held::sometimes)
      lane->stream.host_call(gate.emplace().holding());
    give_one(author);  // so that there is something to compare, whatever the program does
    const std::uint32_t actions = 4 + author.below(12);
    for (std::uint32_t i = 0; i < actions; ++i) {
      if (author.below(4) == 0) go_to_the_other();
      act(author, block, exec);
      if (author.below(2) == 0) change(author, block, exec);
      if (author.below(3) == 0) pause(author.below(100));
      if (author.below(6) != 0) continue;
      gate.reset();
      expect_wait(author.below(4));
      if (HasFailure()) return;
    }
    if (author.below(2) == 0) exec = GraphExec();
    gate.reset();
    for (std::size_t i = 0; i < lanes.size(); ++i) {  // first the one that was given last
      expect_wait(author.below(4));
      if (HasFailure()) return;
      lane = lane == &lanes[0] ? &lanes[1] : &lanes[0];
    }
    expect(machine.memory, "in flight");
    for (std::size_t i = 0; i < machine.times.size(); ++i)
      EXPECT_EQ(calls(i), machine.times[i]) << "calls of function " << i;
  }

 private:
  // As a launch runs them: of what an error leaves undone, this decides.
  static void note_order(Block& block, GraphExec& exec) {
    std::uint32_t place = 0;
    for (const NodeId id : exec.execution_order()) block[index_of(id)].place = place++;
    for (std::size_t i = 0; i < block.size(); ++i)
      for (std::size_t k = 0; k < block[i].branches.size(); ++k)
        note_order(block[i].branches[k], exec.branch(node(i), k));
  }

  static void pause(std::uint32_t us) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
    if (us % 4 == 0) return std::this_thread::sleep_until(until);
    while (std::chrono::steady_clock::now() < until) {
    }
  }

  void go_to_the_other() {
    Lane* const next = lane == &lanes[0] ? &lanes[1] : &lanes[0];
    const Event turn = device().event("turn");
    lane->stream.record(turn);
    next->stream.wait(turn);
    lane->timed.reset();
    lane = next;
  }

  void ran(const Block& block) {
    machine.failure.reset();
    interpret(block, machine);
    if (!lane->pending) lane->pending = machine.failure;
    lane->timed.reset();
  }

  void give_one(Author& author) {
    const Block one{{.target = author.below(data_count), .a = 3, .b = author.below(50)}};
    mad(lane->stream, buffers[one[0].target], one[0].a, one[0].b);
    ran(one);
  }

  // A block of the program with its exec: the whole, or a branch.
  struct Piece {
    Block& block;
    GraphExec& exec;
  };
  static Piece some_piece(Author& author, Block& block, GraphExec& exec) {
    std::vector<std::size_t> decisions;
    for (std::size_t i = 0; i < block.size(); ++i)
      if (!block[i].branches.empty()) decisions.push_back(i);
    if (decisions.empty() || author.below(2) == 0) return {block, exec};
    const std::size_t i = decisions[author.below(static_cast<std::uint32_t>(decisions.size()))];
    const std::uint32_t k = author.below(static_cast<std::uint32_t>(block[i].branches.size()));
    return some_piece(author, block[i].branches[k], exec.branch(node(i), k));
  }

  void act(Author& author, Block& block, GraphExec& exec) {
    const std::uint32_t which = author.below(10);
    if (which == 0) {
      give_one(author);
    } else if (which == 1) {
      const Piece piece = some_piece(author, block, exec);
      piece.exec.launch(lane->stream);
      ran(piece.block);
    } else if (which == 2) {
      TimedLaunch timed = exec.launch_timed(lane->stream);
      ran(block);
      lane->timed.emplace(std::move(timed));
    } else {
      exec.launch(lane->stream);
      ran(block);
    }
  }

  void change(Author& author, Block& block, GraphExec& exec) {
    const std::uint32_t which = author.below(8);
    if (which == 0) {
      exec = exec.clone();
      return;
    }
    const Piece piece = some_piece(author, block, exec);
    if (which <= 2) {
      author.renumber(piece.block);
      EXPECT_EQ(why(piece.exec.update(graph_of(piece.block))), "");
      return;
    }
    const std::uint32_t i = author.below(static_cast<std::uint32_t>(piece.block.size()));
    Statement& s = piece.block[i];
    // A while that nothing counts down would take its time.
    if (which <= 4 && s.kind != Statement::Kind::count_down) {
      s.enabled = !s.enabled;
      piece.exec.set_enabled(node(i), s.enabled);
      return;
    }
    set_argument(author, s, node(i), piece.exec);
  }

  static void set_argument(Author& author, Statement& s, NodeId id, GraphExec& exec) {
    if (s.kind == Statement::Kind::mad) {
      s.b = author.below(100);
      exec.set_argument(id, 2, s.b);
    } else if (s.kind == Statement::Kind::mix) {
      s.a = author.below(5);
      exec.set_argument(id, 3, s.a);
    } else if (s.kind == Statement::Kind::pick) {
      s.a = 1 + author.below(5);
      exec.set_argument(id, 2, s.a);
    }
  }

  void expect_wait(std::uint32_t how) {
    const std::optional<Failure> meant = std::exchange(lane->pending, std::nullopt);
    std::optional<Error> found;
    try {
      wait(how);
    } catch (const Error& error) {
      found = error;
    }
    ASSERT_EQ(found.has_value(), meant.has_value())
        << (meant ? "an error of " + meant->label : found->what());
    if (!meant) return;
    ASSERT_EQ(found->code(), meant->code) << meant->label << ": " << found->what();
    ASSERT_NE(std::string_view(found->what()).find("'" + meant->label + "'"), std::string::npos)
        << "not of " << meant->label << ": " << found->what();
  }

  void wait(std::uint32_t how) {
    const std::optional<TimedLaunch> timed = std::exchange(lane->timed, std::nullopt);
    if (timed) {
      timed->wait();
    } else if (how == 0) {
      const Event event = device().event("after");
      lane->stream.record(event);
      event.synchronize();
    } else if (how == 1) {
      EXPECT_EQ(lane->stream.read_now<std::uint32_t>(buffers[0]).front(), machine.memory[0]);
    } else {
      lane->stream.synchronize();
    }
  }

 protected:
  std::array<Lane, 2> lanes;
  Lane* lane = nullptr;  // that is given next
  Machine machine;
};
INSTANTIATE_TEST_SUITE_P(Each, RandomErrors, every_way_to_decide(), device_name);

TEST_P(RandomErrors, OfLaunchesInFlightAreThoseTheyWereLaunchedFor) {
  const Seeds wanted = seeds({700, 40});
  for (std::uint32_t seed = wanted.first; seed < wanted.first + wanted.count; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    fly(seed);
    if (HasFailure()) return;
  }
}

// A recorded launch waits for its decisions; what comes of them is nonetheless for later waits.
TEST_P(RandomErrors, AreTheSameWhileTheyAreCapturedAndAreReplayed) {
  const Seeds wanted = seeds({900, 8});
  for (std::uint32_t seed = wanted.first; seed < wanted.first + wanted.count; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Trace trace = captured([&] { fly(seed, Held::no); },
                                 {.contents = seed % 2 ? Contents::all : Contents::inputs});
    if (HasFailure()) return;
    const ReplayReport report = replay(trace, device());
    EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace reel::test
