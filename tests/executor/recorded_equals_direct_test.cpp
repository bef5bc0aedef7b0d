// The same calls, the same bytes: random passes given directly, recorded, reordered and replayed.
#include "executor/work_test.hpp"

namespace reel::test {
namespace {

class RecordedEqualsDirect : public WorkTest {
 protected:
  static WorkOptions options_of(std::uint32_t seed) {
    return {.commands = 20 + seed % 60, .slot_bytes = seed % 4 == 3 ? 16384u : 256u};
  }
};
INSTANTIATE_TEST_SUITE_P(Each, RecordedEqualsDirect, every_device(), device_name);

TEST_P(RecordedEqualsDirect, OverRandomPasses) {
  const GraphExecutor executor(device());
  for (std::uint32_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    RandomWork work(device(), kernels, seed, options_of(seed));
    const Outcome expected = work.reference();

    GraphSession direct = executor.begin();
    work.give_all(direct);
    direct.finish();
    ASSERT_EQ(difference(expected, work.outcome()), "") << "direct";

    for (const FinishOptions options :
         {FinishOptions{}, FinishOptions{.reorder = true}, FinishOptions{.timing = true},
          FinishOptions{.reorder = true, .timing = true}}) {
      if (options.timing && !info().can_stamp_time) continue;
      work.reset();
      GraphSession recorded = executor.begin_recorded();
      work.give_all(recorded);
      recorded.finish(options);
      ASSERT_EQ(difference(expected, work.outcome()), "")
          << "recorded, reorder " << options.reorder << ", timing " << options.timing;
    }

    work.reset();
    GraphSession recorded = executor.begin_recorded();
    work.give_all(recorded);
    const GraphExec exec = recorded.graph().instantiate(device());
    exec.launch(executor.stream());
    executor.stream().synchronize();
    ASSERT_EQ(difference(expected, work.outcome()), "") << "launched from graph()";
  }
}

TEST_P(RecordedEqualsDirect, TheReportsOfBothModesAgree) {
  const GraphExecutor executor(device());
  for (std::uint32_t seed = 50; seed < 65; ++seed) {
    SCOPED_TRACE(seed);
    RandomWork work(device(), kernels, seed, options_of(seed));
    GraphSession direct = executor.begin();
    work.give_all(direct);
    const PassReport one = direct.finish();
    GraphSession recorded = executor.begin_recorded();
    work.give_all(recorded);
    const PassReport two = recorded.finish();
    EXPECT_EQ(one.commands, two.commands);
    EXPECT_EQ(one.dispatches, two.dispatches);
    EXPECT_EQ(one.barriers, two.barriers);
    EXPECT_EQ(one.barriers_avoided, two.barriers_avoided);
    EXPECT_EQ(one.group_sizes, two.group_sizes);
  }
}

TEST_P(RecordedEqualsDirect, OverPassesInFlight) {
  const GraphExecutor executor(device());
  RandomWork work(device(), kernels, 77, {.commands = 30});
  std::vector<PendingPass> pending;
  for (int i = 0; i < 6; ++i) {
    GraphSession pass = i % 2 ? executor.begin_recorded() : executor.begin();
    work.give_all(pass);
    pending.push_back(pass.commit({.reorder = i % 3 == 0}));
  }
  for (const PendingPass& pass : pending) pass.wait();
  EXPECT_EQ(difference(work.reference(6), work.outcome()), "");
}

// A stream whose times nobody wants may go another way than one that is asked for some; the first
// question comes while work is under way.
TEST_P(RecordedEqualsDirect, EventsAnywhereAmongCommandsKeepTheirOrder) {
  for (std::uint32_t seed = 100; seed < 110; ++seed) {
    SCOPED_TRACE(seed);
    RandomWork work(device(), kernels, seed, options_of(seed));
    const Stream stream = device().stream("asked later");
    std::vector<Event> events;
    for (std::size_t i = 0; i < work.size(); ++i) {
      work.give(stream, i);
      if (i % 13 != seed % 13) continue;
      events.push_back(device().event());
      stream.record(events.back());
    }
    stream.synchronize();
    ASSERT_EQ(difference(work.reference(), work.outcome()), "");
    for (std::size_t i = 0; i < events.size(); ++i) {
      EXPECT_TRUE(events[i].done());
      if (!info().can_stamp_time) continue;
      ASSERT_TRUE(events[i].time_ns()) << "event " << i;
      if (i > 0) {
        EXPECT_LE(events[i - 1].time_ns(), events[i].time_ns()) << "event " << i;
      }
    }
  }
}

// A pass that is captured from a stream is the same pass once more.
TEST_P(RecordedEqualsDirect, ACaptureOfTheStreamIsTheSamePass) {
  const GraphExecutor executor(device());
  for (std::uint32_t seed = 90; seed < 95; ++seed) {
    SCOPED_TRACE(seed);
    RandomWork work(device(), kernels, seed, options_of(seed));
    auto capture = StreamCapture::begin(executor.stream());
    work.give_all(executor.stream());
    const Graph captured = capture.end();
    work.reset();
    captured.instantiate(device()).launch(executor.stream());
    executor.stream().synchronize();
    ASSERT_EQ(difference(work.reference(), work.outcome()), "");
  }
}

}  // namespace
}  // namespace reel::test
