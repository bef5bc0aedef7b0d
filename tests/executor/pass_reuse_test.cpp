// Recorded passes that are alike share a plan: whatever changes from one to the next, bytes and
// reports are those of a pass that was planned for itself.
#include <chrono>
#include <thread>

#include "base/handles.hpp"
#include "executor/work_test.hpp"
#include "runtime/device_state.hpp"

namespace reel::test {
namespace {

class PassReuse : public WorkTest {
 protected:
  static PassReport record(const GraphExecutor& executor, RandomWork& work,
                           const FinishOptions& options = {}) {
    GraphSession pass = executor.begin_recorded();
    work.give_all(pass);
    return pass.finish(options);
  }
  // The parts of a buffer that passes of these tests work on, as a device may bind them.
  static std::uint64_t part_bytes() {
    return std::max<std::uint64_t>(256, info().binding_alignment_bytes);
  }
  static std::uint64_t live_bytes() { return state_of(device())->live_bytes.load(); }
};
INSTANTIATE_TEST_SUITE_P(Each, PassReuse, every_device(), device_name);

TEST_P(PassReuse, RandomPassesGiveTheBytesAndReportsOfOnesPlannedAnew) {
  int reused = 0, moved = 0;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const GraphExecutor executor(device());
    RandomWork work(device(), kernels, seed, {.commands = 6 + 2 * seed, .host_calls = false});
    const FinishOptions options{.reorder = seed % 2 == 0,
                                .timing = seed % 5 == 0 && info().can_stamp_time};
    for (std::uint32_t round = 0; round < 12; ++round) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round);
      const std::uint32_t percent = round % 4 == 3 ? 6 : round % 4 == 2 ? 1 : 0;
      work.vary(100 * seed + round, percent);
      work.reset();
      const PassReport one = record(executor, work, options);
      ASSERT_EQ(difference(work.reference(), work.outcome()), "") << "reused: " << one.reused;
      const PassReport two = record(GraphExecutor(device()), work, options);
      ASSERT_FALSE(two.reused);
      EXPECT_EQ(one.commands, two.commands);
      EXPECT_EQ(one.barriers, two.barriers);
      EXPECT_EQ(one.barriers_avoided, two.barriers_avoided);
      EXPECT_EQ(one.group_sizes, two.group_sizes);
      EXPECT_EQ(one.reordered, two.reordered);
      EXPECT_EQ(one.node_times.size(), two.node_times.size());
      if (round > 0 && percent == 0) {
        EXPECT_TRUE(one.reused) << "only values differ";
      }
      reused += one.reused;
      moved += !one.reused;
    }
  }
  EXPECT_GT(reused, 70);
  EXPECT_GT(moved, 20) << "else nothing shows that a change of order is seen";
}

// Each launch keeps the values that it was given, though the next ones change them.
TEST_P(PassReuse, PassesInFlightKeepTheirOwnValues) {
  for (std::uint32_t seed = 30; seed < 36; ++seed) {
    SCOPED_TRACE(seed);
    const GraphExecutor executor(device());
    RandomWork work(device(), kernels, seed, {.commands = 20, .host_calls = false});
    const auto give = [&](std::uint32_t round, GraphSession pass) {
      work.vary(100 * seed + round, round % 3 == 2 ? 2 : 0);
      work.give_all(pass);
      return pass.commit();
    };
    for (std::uint32_t round = 0; round < 10; ++round) give(round, executor.begin()).wait();
    const Outcome expected = work.outcome();
    work.reset();
    std::vector<PendingPass> passes;
    for (std::uint32_t round = 0; round < 10; ++round)
      passes.push_back(give(round, executor.begin_recorded()));
    for (const PendingPass& pass : passes) pass.wait();
    EXPECT_EQ(difference(expected, work.outcome()), "");
  }
}

// A decoder's cache: a pass writes one part, and reads all up to it.
TEST_P(PassReuse, ARangeThatGrowsWithEveryPassTakesTheSamePlan) {
  constexpr std::uint32_t tokens = 5;
  const std::uint64_t part = part_bytes();
  const Buffer cache = device().buffer(tokens * part, "cache");
  const Buffer sums = device().buffer(tokens * part, "sums");
  const GraphExecutor executor(device());
  std::vector<bool> reused;
  Words expected(tokens * part / 4), expected_sums(tokens * part / 4);
  for (std::uint32_t i = 0; i < 3 * tokens; ++i) {
    const std::uint64_t at = i % tokens * part, end = at + part;
    GraphSession pass = executor.begin_recorded();
    mad(pass, cache.range(at, part), 3, i);
    pass.copy(sums.range(0, end), cache.range(0, end));
    const PassReport report = pass.finish();
    EXPECT_EQ(report.barriers, 1u);
    reused.push_back(report.reused);
    for (std::uint64_t k = at / 4; k < end / 4; ++k) expected[k] = 3 * expected[k] + i;
    std::copy(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(end / 4),
              expected_sums.begin());
    ASSERT_EQ(sums.read<std::uint32_t>(), expected_sums) << "pass " << i;
  }
  // The first token writes all that it reads, as no other does.
  for (std::size_t i = 0; i < reused.size(); ++i) EXPECT_EQ(reused[i], i >= 2) << "pass " << i;
}

TEST_P(PassReuse, AHazardThatAppearsIsSeen) {
  const std::uint64_t part = part_bytes();
  const Buffer buffer = device().buffer(4 * part, "parts");
  const GraphExecutor executor(device());
  const auto run = [&](std::uint64_t first, std::uint64_t second) {
    buffer.write(words(1, 4 * part / 4));
    GraphSession pass = executor.begin_recorded();
    mad(pass, buffer.range(first * part, part), 2, 0);
    mad(pass, buffer.range(second * part, part), 3, 1);
    const PassReport report = pass.finish();
    const Words found = buffer.read<std::uint32_t>();
    const bool conflict = first == second;
    EXPECT_EQ(report.barriers, conflict ? 1u : 0u);
    EXPECT_EQ(found[second * part / 4], conflict ? 7u : 4u);
    EXPECT_EQ(found[first * part / 4], conflict ? 7u : 2u);
    return report.reused;
  };
  EXPECT_FALSE(run(0, 2));
  EXPECT_FALSE(run(2, 2)) << "they conflict now";
  EXPECT_TRUE(run(0, 3));
  EXPECT_TRUE(run(3, 3));
  EXPECT_FALSE(run(2, 0)) << "the other way round";
  EXPECT_FALSE(run(1, 2)) << "they touch";
}

TEST_P(PassReuse, AnotherKernelBufferGridSizeOrNumberOfCommandsIsAnotherPass) {
  const GraphExecutor executor(device());
  const auto run = [&](const std::function<void(GraphSession&)>& give) {
    GraphSession pass = executor.begin_recorded();
    give(pass);
    return pass.finish().reused;
  };
  EXPECT_FALSE(run([&](GraphSession& p) { mad(p, x, 3, 1); }));
  EXPECT_TRUE(run([&](GraphSession& p) { mad(p, x, 4, 5); }));
  EXPECT_FALSE(run([&](GraphSession& p) { mad(p, y, 3, 1); }));
  EXPECT_FALSE(run([&](GraphSession& p) { mix(p, x, y, z, 1); }));
  EXPECT_FALSE(run([&](GraphSession& p) { mad(p, x, 3, 1), mad(p, x, 3, 1); }));
  EXPECT_TRUE(run([&](GraphSession& p) { mad(p, x, 3, 1); })) << "still known";
  EXPECT_FALSE(run([&](GraphSession& p) { mad(p, x, 3, 1), p.barrier(); }));
}

TEST_P(PassReuse, AHostCallGoesWithItsPass) {
  const GraphExecutor executor(device());
  const auto held = std::make_shared<int>(0);
  for (int i = 0; i < 3; ++i) {
    GraphSession pass = executor.begin_recorded();
    mad(pass, x, 3, 1);
    pass.host_call([held] { ++*held; });
    EXPECT_FALSE(pass.finish().reused);
    // The thread that called it may be the last to let go of it, just after the pass is done.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (held.use_count() > 1 && std::chrono::steady_clock::now() < patience)
      std::this_thread::yield();
    EXPECT_EQ(held.use_count(), 1) << "the function is kept";
  }
  EXPECT_EQ(*held, 3);
}

TEST_P(PassReuse, ABufferFreedBeforeTheEndIsNamedByTheError) {
  const GraphExecutor executor(device());
  Buffer gone = device().buffer(1024, "gone");
  for (int i = 0; i < 2; ++i) {
    GraphSession pass = executor.begin_recorded();
    mad(pass, gone, 3, 1);
    pass.finish();
  }
  GraphSession pass = executor.begin_recorded();
  mad(pass, gone, 3, 1);
  gone.free();
  expect_error(Code::invalid_argument, {"'gone'", "freed"}, [&] { pass.finish(); });
}

TEST_P(PassReuse, PassesThatAreNeverAlikeHaveTheirBuffersFreed) {
  constexpr std::uint64_t bytes = 64 * 1024;
  const GraphExecutor executor(device());
  const std::uint64_t before = live_bytes();
  std::uint64_t most = 0;
  for (int i = 0; i < 40; ++i) {
    const Buffer one = device().buffer(bytes, "one of many");
    GraphSession pass = executor.begin_recorded();
    pass.fill(one, std::uint8_t{1});
    EXPECT_FALSE(pass.finish().reused);
    most = std::max(most, live_bytes() - before);
  }
  EXPECT_LE(most, 6 * bytes);
  EXPECT_LE(live_bytes() - before, bytes) << "given up by now";
}

TEST_P(PassReuse, TwoThreadsThatShareAnExecutorGetTheirOwnPasses) {
  const GraphExecutor executor(device());
  const auto run = [&](const Buffer& buffer, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      GraphSession pass = executor.begin_recorded();
      mad(pass, buffer, 1, i);
      pass.finish();
    }
  };
  x.write(words(0));
  y.write(words(0));
  std::thread other([&] { run(y, 60); });
  run(x, 60);
  other.join();
  EXPECT_EQ(contents(x), words(60 * 59 / 2));
  EXPECT_EQ(contents(y), words(60 * 59 / 2));
}

}  // namespace
}  // namespace reel::test
