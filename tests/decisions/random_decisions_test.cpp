// Random nested programs of if, while, switch and repeat, against a plain interpreter: launched,
// from a file, updated, cloned, timed, and captured and replayed.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <optional>
#include <thread>

#include "decisions/program_graphs.hpp"
#include "recording/captured.hpp"
#include "reel/decision_tree.hpp"
#include "reel/replay.hpp"
#include "reel/trace_columns.hpp"
#include "replay/told.hpp"

namespace reel::test {
namespace {

class RandomDecisions : public RandomPrograms {
 protected:
  // The program that decides itself: gives a piece, reads the condition, and goes on as it says.
  void run_by_program(const Block& block, const Buffers& on) const {
    Block piece;
    const auto give = [&] {
      if (!piece.empty()) run(graph_of(piece, on).instantiate(device()));
      piece.clear();
    };
    for (const Statement& s : block) {
      if (s.kind != Statement::Kind::decide) {
        piece.push_back(s);
        continue;
      }
      give();
      const auto asked = [&] { return stream.read_now<std::uint32_t>(on[s.source]).front(); };
      if (s.decision == DecisionKind::repeat)
        for (std::uint32_t i = 0; i < s.a; ++i) run_by_program(s.branches[0], on);
      else if (s.decision == DecisionKind::while_loop)
        while (asked()) run_by_program(s.branches[0], on);
      else if (s.decision == DecisionKind::switch_case)
        run_by_program(s.branches[asked()], on);
      else if (asked())
        run_by_program(s.branches[0], on);
      else if (s.branches.size() == 2)
        run_by_program(s.branches[1], on);
    }
    give();
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
};
INSTANTIATE_TEST_SUITE_P(Each, RandomDecisions, every_way_to_decide(), device_name);

TEST_P(RandomDecisions, DoWhatTheyMeanHoweverTheyAreLaunched) {
  const Seeds wanted = seeds({1, 40});
  for (std::uint32_t seed = wanted.first; seed < wanted.first + wanted.count; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Author author(seed);
    Block block = author.block(0);
    const Graph graph = graph_of(block);
    GraphExec exec = graph.instantiate(device(), {.relax_order = true, .reorder = seed % 2 == 0});
    expect_meant(block, exec, "launched");
    if (HasFatalFailure()) return;
    expect_meant(block, exec.clone(), "a clone");
    if (HasFatalFailure()) return;
    if (seed % 8 == 0) {
      Memory by_program = reset();
      interpret(block, by_program);
      run_by_program(block, buffers);
      expect(by_program, "by the program");
      if (HasFatalFailure()) return;
    }
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

// What comes before the fault has run, and nothing of what comes after it, in whatever depth it is.
TEST_P(RandomDecisions, FailWhereTheyShouldAndAreAsGoodAsEverAfterwards) {
  const Seeds wanted = seeds({700, 60});
  std::size_t faults = 0, by_host = 0;
  for (std::uint32_t seed = wanted.first; seed < wanted.first + wanted.count; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Block block = Author(seed, Author::Writes::what_may_fail_by_memory_alone).block(0);
    // In the order of the program, so that it is known what comes after a fault.
    GraphExec exec = graph_of(block).instantiate(device(), {.reorder = false});
    by_host += exec.lowering().find("by a thread of the stream") != std::string::npos;
    Machine machine{.memory = reset()};
    for (int launch = 0; launch < 3; ++launch) {
      machine.failure.reset();
      interpret(block, machine);
      faults += machine.failure.has_value();
      std::optional<Error> found;
      try {
        run(exec);
      } catch (const Error& error) {
        found = error;
      }
      ASSERT_EQ(found.has_value(), machine.failure.has_value())
          << "launch " << launch << ": " << (found ? found->what() : machine.failure->label);
      if (found) {
        EXPECT_EQ(found->code(), machine.failure->code) << found->what();
        EXPECT_THAT(found->what(), testing::HasSubstr("'" + machine.failure->label + "'"));
      }
      expect(machine.memory, "launch " + std::to_string(launch));
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(3 * faults, wanted.count / 2) << "too few of them fail";
  if (const std::string_view way = GetParam(); way == "vulkan" || way == "vulkan_indirect") {
    // The others are too many commands: a third to half of them, by the seeds.
    EXPECT_LT(3 * by_host, 2 * wanted.count) << "too few of them are taken by the device alone";
  }
}

// All of them in flight, on two streams by turns, and updated in between.
TEST_P(RandomDecisions, InFlightKeepWhatTheyWereLaunchedWith) {
  const Stream other = device().stream("other");
  const Seeds wanted = seeds({300, 30});
  for (std::uint32_t seed = wanted.first; seed < wanted.first + wanted.count; ++seed) {
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

// Each thread has memory and execs of its own. Streams they share, so that launches of several
// threads are given, walked through and waited for at the same time.
TEST_P(RandomDecisions, OfSeveralThreadsOnTheSameStreamsDoWhatTheyMean) {
  constexpr std::uint32_t threads = 3, launches = 8;
  const std::vector<Stream> shared{device().stream("first"), device().stream("second")};
  std::vector<Buffers> own;
  for (std::uint32_t t = 0; t < threads; ++t)
    own.push_back(make_buffers("t" + std::to_string(t) + "b"));
  const Seeds wanted = seeds({500, 12});
  for (std::uint32_t seed = wanted.first; seed < wanted.first + wanted.count; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::vector<Memory> meant;
    for (const Buffers& mine : own) meant.push_back(reset(mine));
    std::vector<std::string> failed(threads);
    std::vector<std::thread> running;
    for (std::uint32_t t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        try {
          Author author(seed * threads + t);
          Block block = author.block(0);
          GraphExec exec = graph_of(block, own[t]).instantiate(device());
          std::vector<Stream> streams = shared;
          streams.push_back(device().stream("mine"));
          std::uint32_t at = author.below(3);
          for (std::uint32_t launch = 0; launch < launches; ++launch) {
            interpret(block, meant[t]);
            exec.launch(streams[at]);
            if (author.below(3) == 0) {
              author.renumber(block);
              failed[t] += why(exec.update(graph_of(block, own[t])));
            }
            if (author.below(4) == 0) exec = exec.clone();
            if (author.below(4) == 0) streams[at].synchronize();
            if (const std::uint32_t next = author.below(3); next != at) {
              const Event turn = device().event("turn");
              streams[at].record(turn);
              streams[next].wait(turn);
              at = next;
            }
          }
          streams[at].synchronize();
        } catch (const std::exception& error) {
          failed[t] += error.what();
        }
      });
    for (std::thread& thread : running) thread.join();
    for (std::uint32_t t = 0; t < threads; ++t) {
      EXPECT_EQ(failed[t], "") << "thread " << t;
      expect(meant[t], "of thread " + std::to_string(t), own[t]);
    }
    if (HasFailure()) return;
  }
}

TEST_P(RandomDecisions, AreCapturedAsTheyRanAndReplayedToTheByte) {
  const Seeds wanted = seeds({100, 10});
  for (std::uint32_t seed = wanted.first; seed < wanted.first + wanted.count; ++seed) {
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

// What lies in a region, as interpret_and_tell() has it.
std::string told_in(const Trace& trace, const std::vector<std::uint32_t>& region_of,
                    std::uint32_t in) {
  std::uint32_t own = 0;
  for (std::uint32_t c = 0; c < region_of.size(); ++c)
    own += region_of[c] == in && trace.work_of(trace.commands()[c]).kind != WorkKind::launch;
  std::string text = std::to_string(own);
  for (std::uint32_t r = 0; r < trace.regions().size(); ++r) {
    const TraceRegion& region = trace.regions()[r];
    if (region.parent != in) continue;
    const ColumnValue kind = shown(trace, columns_of<TraceRegion>()[0], region);
    text +=
        fmt::format(" {}{}{}({})", std::get<std::string_view>(kind),
                    region.is_decision() ? "=" : "", region.number, told_in(trace, region_of, r));
  }
  return text;
}

TEST_P(RandomDecisions, AreRegionsOfADocumentExactlyAsTheyRan) {
  const Seeds wanted = seeds({1, 25});
  for (std::uint32_t seed = wanted.first; seed < wanted.first + wanted.count; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Author author(seed);
    const Block block = author.block(0);
    // Independent decisions may change places otherwise.
    const GraphExec exec = graph_of(block).instantiate(device(), {.reorder = false});
    Memory memory = reset();
    std::vector<std::string> meant;
    for (int launch = 0; launch < 2; ++launch) meant.push_back(interpret_and_tell(block, memory));
    const Trace trace = captured(
        [&] {
          exec.launch(stream);
          if (seed % 2)
            exec.launch(stream);
          else
            static_cast<void>(exec.launch_timed(stream));
          stream.synchronize();
        },
        {.contents = Contents::none});
    expect(memory, "captured");
    if (HasFatalFailure()) return;
    const std::vector<std::uint32_t> region_of = analysis::regions_of_commands(trace);
    std::vector<std::string> found;
    for (std::uint32_t r = 0; r < trace.regions().size(); ++r)
      if (trace.regions()[r].kind == TraceRegion::Kind::launch)
        found.push_back(told_in(trace, region_of, r));
    // A graph that decides nothing is a launch as any other.
    if (std::ranges::none_of(block, [](const Statement& s) { return !s.branches.empty(); }))
      meant.clear();
    ASSERT_EQ(found, meant);
    for (const TraceRegion& region : trace.regions())
      ASSERT_EQ(region.parent == no_index, region.kind == TraceRegion::Kind::launch);
  }
}

}  // namespace
}  // namespace reel::test
