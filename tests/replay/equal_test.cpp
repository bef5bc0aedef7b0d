// Documents that nobody touched: every order gives every byte again.
#include <random>

#include "random_work.hpp"
#include "replay/replay_test.hpp"

namespace reel::test {
namespace {

using EqualReplay = ReplayTest;

TEST_P(EqualReplay, OfRandomWorkInEveryOrder) {
  const WorkKernels kernels{mad_kernel, mix_kernel, build(reverse_source())};
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomWork work(device(), kernels, seed, {.commands = 40, .slot_bytes = 256});
    const Stream stream = device().stream("work");
    for (const Contents contents : {Contents::inputs, Contents::all}) {
      work.reset();
      const Trace trace =
          captured([&] { work.give_all(stream), stream.synchronize(); }, {.contents = contents});
      for (const ReplayOrder order : every_order) {
        const ReplayReport report = replayed(trace, {.order = order});
        EXPECT_EQ(report.verdict(), Verdict::equal)
            << to_string(order) << ", " << to_string(contents) << ": " << told(report);
        EXPECT_EQ(report.equal_checks, report.checks);
        EXPECT_GT(report.checked_bytes, 0u);
        EXPECT_EQ(report.checked_bytes, report.equal_bytes);
      }
    }
  }
}

// Recorded on the host, which reads predicates itself; where a device doesn't, the replay does.
TEST_P(EqualReplay, OfDispatchesThatAWordSkips) {
  const Device host = open_device("host");
  const Stream stream = host.stream("work");
  const Kernel kernel = host.kernel(mad_source());
  const Buffer values = host.buffer_of(ramp(1), "values");
  const Buffer flags = host.buffer_of(std::vector<std::uint32_t>{0, 1, 0, 5}, "flags");
  const auto give = [&](std::uint64_t word, bool is_inverted, std::uint32_t number) {
    const std::vector<Argument> arguments{inout(values), 3u, number, word_count};
    stream.enqueue({Dispatch{.kernel = kernel,
                             .groups = {word_count / 64},
                             .group_size = {64},
                             .arguments = arguments,
                             .predicate = {flags.range(4 * word, 4), is_inverted}}});
  };
  const Trace trace = captured_all([&] {
    for (std::uint32_t word = 0; word < 4; ++word) {
      give(word, false, 2 * word);
      give(word, true, 2 * word + 1);
    }
    stream.fill(flags.range(0, 4), 3u);
    stream.fill(flags.range(4, 4), 0u);
    for (std::uint32_t word = 0; word < 2; ++word) {
      give(word, false, 20 + word);
      give(word, true, 30 + word);
    }
    stream.synchronize();
  });
  for (const ReplayOrder order : every_order) {
    if (order != ReplayOrder::recorded && !info().can_dispatch_conditionally) {
      expect_error(Code::unsupported, {"conditionally"},
                   [&] { replayed(trace, {.order = order}); });
      continue;
    }
    const ReplayReport report = replayed(trace, {.order = order});
    EXPECT_EQ(report.verdict(), Verdict::equal) << to_string(order) << ": " << told(report);
    EXPECT_EQ(report.equal_checks, report.checks);
  }
  // Extracted, the one that runs is there, and replays equal.
  const ScratchFolder folder;
  const ExtractReport part = extract(trace, device(), {2}, folder.path("part.reel"));
  EXPECT_EQ(part.commands, 1u);
  const ReplayReport again = replayed(Trace::load(folder.path("part.reel")));
  EXPECT_EQ(again.verdict(), Verdict::equal) << told(again);
}

TEST_P(EqualReplay, OfTwoStreamsWithEvents) {
  const Stream a = device().stream("a"), b = device().stream("b");
  const Event event = device().event();
  const Trace trace = captured_all([&] {
    mad(a, x, 3, 1);
    a.record(event);
    b.wait(event);
    mix(b, x, y, z, 5);
    b.synchronize();  // the host waits, then goes on with the other stream
    mad(a, z, 7, 2);
    a.synchronize();
  });
  ASSERT_FALSE(trace.orders().empty());
  EXPECT_TRUE(find_races(trace).empty()) << told(replayed(trace));
  for (const ReplayOrder order : every_order)
    EXPECT_EQ(replayed(trace, {.order = order}).verdict(), Verdict::equal);
}

TEST_P(EqualReplay, OfClonesThatWriteWhatTheirOriginalWasBuiltWith) {
  const Words sevens = ramp(7);
  Graph graph;
  graph.add_write(x, std::as_bytes(std::span<const std::uint32_t>(sevens)));
  add_mix(graph, x, y, z, 2);
  GraphExec clone = graph.instantiate(device()).clone();
  clone.bind(x.label(), w);
  const Stream stream = device().stream();
  const Trace trace = captured_all([&] {
    clone.launch(stream);
    stream.synchronize();
  });
  EXPECT_EQ(contents(w), sevens);
  for (const ReplayOrder order : every_order)
    EXPECT_EQ(replayed(trace, {.order = order}).verdict(), Verdict::equal) << told(replayed(trace));
}

TEST_P(EqualReplay, OfGraphLaunches) {
  Graph graph;
  add_mad(graph, x, 3, 1);
  add_mix(graph, x, y, z, 2);
  add_mix(graph, x, y, w, 4);
  add_mix(graph, z, w, y, 1);
  const GraphExec exec = graph.instantiate(device());
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    for (int i = 0; i < 3; ++i) exec.launch(stream);
    stream.synchronize();
  });
  EXPECT_TRUE(find_races(trace).empty());
  for (const ReplayOrder order : every_order) {
    const ReplayReport report = replayed(trace, {.order = order});
    EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
  }
}

TEST_P(EqualReplay, WithTimesOfEveryRun) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    for (std::uint32_t i = 0; i < 20; ++i) mad(stream, x, 3, i);
    stream.synchronize();
  });
  for (const ReplayOrder order : every_order) {
    const ReplayReport report = replayed(trace, {.order = order, .repeat = 4});
    EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
    EXPECT_TRUE(report.warmed_up);
    EXPECT_EQ(report.runs, 4u);
    EXPECT_EQ(report.span.runs, 4u);
    ASSERT_EQ(report.command_times.size(), 20u) << to_string(order);
    EXPECT_EQ(report.command_times[3].replayed.runs, 4u);
    EXPECT_TRUE(report.command_times[3].recorded_ns);
    ASSERT_EQ(report.kernel_times.size(), 1u);
    EXPECT_EQ(report.kernel_times[0].commands, 20u);
    const Spread& spread = report.kernel_times[0].replayed;
    EXPECT_LE(spread.min, spread.median);
    EXPECT_LE(spread.median, spread.p95);
    EXPECT_LE(spread.p95, spread.max);
  }
}

TEST_P(EqualReplay, OfAPartRunsWhatComesBefore) {
  const Stream stream = device().stream();
  const Trace trace = captured_all([&] {
    for (std::uint32_t i = 0; i < 8; ++i) mad(stream, x, 3, i);
    stream.synchronize();
  });
  const ReplayReport report = replayed(trace, {.from = 3, .to = 5});
  EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
  EXPECT_EQ(report.commands, 3u);
  EXPECT_EQ(report.checks, 3u);
  EXPECT_EQ(report.command_times.size(), 3u);
}

// An input that comes after device work on the same bytes: the part between was not captured, and
// overwrote a result. It is proved only where it was read before.
TEST_P(EqualReplay, OfInputsThatChangedBetweenCommands) {
  const Stream stream = device().stream(), other = device().stream();
  for (const Contents contents : {Contents::inputs, Contents::all}) {
    const Trace trace = captured(
        [&] {
          mad(stream, x, 3, 1);
          stream.synchronize();
          mad(other, x, 5, 5);
          other.synchronize();
          mad(stream, x, 7, 2);
          stream.synchronize();
        },
        {.contents = contents, .stream = stream});
    ASSERT_EQ(trace.commands().size(), 2u);
    for (const ReplayOrder order : every_order) {
      const ReplayReport report = replayed(trace, {.order = order, .repeat = 2});
      EXPECT_EQ(report.verdict(), contents == Contents::all ? Verdict::equal : Verdict::not_proved)
          << told(report);
      EXPECT_EQ(report.different_checks, 0u) << told(report);
    }
  }
}

TEST_P(EqualReplay, OfBuffersLargerThanAPage) {
  const std::uint32_t count = 3 << 20;  // 12 MiB: more than is recorded in one piece
  const Buffer big = device().buffer(std::uint64_t{4} * count, "big");
  const Words start = ramp(7, count);
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    stream.write(big, start);
    mad(stream, big, 3, 1);
    stream.synchronize();
  });
  const ReplayReport report = replayed(trace);
  EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
  EXPECT_EQ(report.checked_bytes, std::uint64_t{4} * count);
}

TEST_P(EqualReplay, IsNotForSavedGraphs) {
  Graph graph;
  graph.add_fill(x, std::uint8_t{7});
  const ScratchFolder folder;
  graph.save(folder.path());
  const Trace trace = Trace::load(folder.path());
  expect_error(Code::unsupported, {"saved graph", "Graph::load()"}, [&] { replayed(trace); });
  expect_error(Code::unsupported, {"saved graph"},
               [&] { extract(trace, device(), {0}, folder.path("part.reel")); });
}

INSTANTIATE_TEST_SUITE_P(Each, EqualReplay, every_device(), device_name);

}  // namespace
}  // namespace reel::test
