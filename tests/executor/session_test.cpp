// One pass: what a session reports, when it waits, and how it ends.
#include <chrono>
#include <numeric>
#include <thread>

#include "recording_test.hpp"

namespace reel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SessionTest : public RecordingTest {
 protected:
  // Runs `body(session, recorded)` in both modes, from zeroed buffers.
  template <class F>
  void in_both_modes(F&& body, const SessionOptions& options = {}) {
    for (const bool recorded : {false, true}) {
      SCOPED_TRACE(recorded ? "recorded" : "direct");
      for (const Buffer& buffer : {x, y, z, w}) buffer.write(words(0));
      const GraphExecutor executor(device());
      GraphSession session = recorded ? executor.begin_recorded(options) : executor.begin(options);
      body(session, recorded);
    }
  }

  static std::size_t groups(const PassReport& report) {
    return std::accumulate(report.group_sizes.begin(), report.group_sizes.end(), std::size_t{0});
  }
  static std::size_t commands_in_groups(const PassReport& report) {
    std::size_t sum = 0;
    for (std::size_t k = 0; k < report.group_sizes.size(); ++k)
      sum += report.group_sizes[k] * (k + 1);
    return sum;
  }
};
INSTANTIATE_TEST_SUITE_P(Each, SessionTest, every_device(), device_name);

TEST_P(SessionTest, BothModesTakeTheSameCallsAndGiveTheSameBytes) {
  in_both_modes([&](GraphSession& pass, bool recorded) {
    EXPECT_EQ(pass.is_recording(), recorded);
    Words target = words(0);
    bool called = false;
    pass.write(x, ramp(5));
    mad(pass, x, 3, 1);
    pass.copy(y, x);
    mix(pass, x, y, z, 2);
    pass.fill(w.range(3, 13), std::uint8_t{0xcd});
    pass.host_call([&] { called = true; });
    pass.read(z, target);
    pass.finish();
    Words expected = ramp(5);
    for (std::uint32_t& word : expected) word = 3 * (3 * word + 1);
    EXPECT_EQ(target, expected) << "read by the time finish() returns";
    EXPECT_TRUE(called);
    EXPECT_EQ(contents(w)[1], 0xcdcdcdcdu);
    EXPECT_EQ(contents(w)[0], 0xcd000000u);
    EXPECT_EQ(contents(w)[4], 0u);
  });
}

TEST_P(SessionTest, ARecordedPassRunsNothingBeforeItsEnd) {
  const GraphExecutor executor(device());
  GraphSession pass = executor.begin_recorded();
  bool called = false;
  mad(pass, x, 1, 5);
  pass.host_call([&] { called = true; });
  device().synchronize();
  EXPECT_EQ(contents(x), words(0));
  EXPECT_FALSE(called);
  pass.finish();
  EXPECT_EQ(contents(x), words(5));
  EXPECT_TRUE(called);
}

TEST_P(SessionTest, TheGraphHoldsWhatWasRecordedAndNothingInDirectMode) {
  in_both_modes([&](GraphSession& pass, bool recorded) {
    EXPECT_TRUE(pass.graph().empty());
    mad(pass, x, 2, 1);
    mad(pass, y, 2, 1, "second");
    EXPECT_EQ(pass.graph().node_count(), recorded ? 2u : 0u);
    if (recorded) {
      EXPECT_EQ(pass.graph().node(node(1)).command.label, "second");
    }
    pass.finish();
  });
}

TEST_P(SessionTest, AnEmptyPassIsAPass) {
  in_both_modes([&](GraphSession& pass, bool) {
    const PassReport report = pass.finish();
    EXPECT_EQ(report.commands, 0u);
    EXPECT_EQ(report.dispatches, 0u);
    EXPECT_EQ(report.barriers, 0u);
    EXPECT_EQ(commands_in_groups(report), 0u);
    EXPECT_THAT(report.node_times, IsEmpty());
  });
}

// --- the report ----------------------------------------------------------------------------------

TEST_P(SessionTest, TheReportCountsCommandsBarriersAndGroups) {
  in_both_modes([&](GraphSession& pass, bool) {
    mad(pass, x, 2, 1);             // group 1
    mad(pass, y, 2, 1);             // group 1
    mad(pass, z, 2, 1);             // group 1
    mix(pass, x, y, w, 3);          // group 2
    pass.copy(z, x);                // group 2: z is free again since the barrier
    pass.fill(w, std::uint8_t{0});  // group 3
    EXPECT_EQ(pass.barrier_count(), 2u);
    const PassReport report = pass.finish();
    EXPECT_EQ(report.commands, 6u);
    EXPECT_EQ(report.dispatches, 4u);
    EXPECT_EQ(report.barriers, 2u);
    EXPECT_EQ(report.barriers_avoided, 3u) << "all but the first of each group";
    EXPECT_THAT(report.group_sizes, ElementsAre(1, 1, 1)) << "one group each of 1, 2 and 3";
    EXPECT_EQ(report.reordered, 0u);
    EXPECT_GT(report.encode_ns, 0u);
    EXPECT_FALSE(report.gpu_ns) << "nobody asked";
    EXPECT_THAT(report.node_times, IsEmpty());
  });
}

TEST_P(SessionTest, GroupsAndBarriersAddUp) {
  in_both_modes([&](GraphSession& pass, bool) {
    const Buffer all[] = {x, y, z, w};
    for (std::uint32_t i = 0; i < 60; ++i) {
      if (i % 7 == 3)
        pass.copy(all[i % 4], all[(i + 1) % 4]);
      else
        mad(pass, all[(i * i) % 4], 3, i);
    }
    const PassReport report = pass.finish();
    EXPECT_EQ(report.commands, 60u);
    EXPECT_EQ(commands_in_groups(report), 60u);
    EXPECT_EQ(groups(report), report.barriers + 1);
    EXPECT_EQ(report.barriers_avoided, 60u - groups(report));
  });
}

TEST_P(SessionTest, TheTimeOnTheDeviceLiesWithinThePass) {
  in_both_modes(
      [&](GraphSession& pass, bool) {
        for (int i = 0; i < 50; ++i) mad(pass, x, 3, 1);
        const PassReport report = pass.finish();
        EXPECT_EQ(report.gpu_ns.has_value(), info().can_stamp_time);
        EXPECT_GT(report.gpu_ns.value_or(1), 0u);
        EXPECT_GT(report.encode_ns, 0u);
        // Stamps are on a clock of their own; an hour would be a unit mistaken.
        EXPECT_LT(report.gpu_ns.value_or(0), 60'000'000'000u);
        EXPECT_LT(report.encode_ns, 60'000'000'000u);
        EXPECT_LT(report.wait_ns, 60'000'000'000u);
      },
      {.timing = true});
}

TEST_P(SessionTest, TheTimeOnTheDeviceIsFromTheFirstCommandToTheLast) {
  if (!info().can_stamp_time) GTEST_SKIP() << "no time stamps here";
  in_both_modes(
      [&](GraphSession& pass, bool) {
        const Gate gate;
        pass.host_call(gate.holding());
        mad(pass, x, 1, 7);
        const PendingPass pending = pass.commit();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        gate.open();
        // From the first command, the host call that was held, to the last.
        EXPECT_GT(pending.wait().gpu_ns.value_or(0), 10'000'000u);
      },
      {.timing = true});
}

TEST_P(SessionTest, TimingGivesANodeTimeForEachRecordedCommand) {
  if (!info().can_stamp_time) GTEST_SKIP() << "no time stamps here";
  const GraphExecutor executor(device());
  GraphSession pass = executor.begin_recorded();
  mad(pass, x, 2, 1);
  pass.copy(y, x);
  mad(pass, y, 2, 1);
  const PassReport report = pass.finish({.timing = true});
  EXPECT_TRUE(report.gpu_ns);
  ASSERT_THAT(report.node_times, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(report.node_times[i].node, node(i));
    EXPECT_LE(report.node_times[i].begin_ns, report.node_times[i].end_ns);
    if (i) {
      EXPECT_LE(report.node_times[i - 1].end_ns, report.node_times[i].begin_ns);
    }
  }
  EXPECT_EQ(contents(y), words(3));
}

TEST_P(SessionTest, ReorderingMovesCommandsAndSavesBarriers) {
  const auto chains = [&](GraphSession& pass) {
    for (const Buffer& buffer : {x, y, z})
      for (std::uint32_t i = 0; i < 5; ++i) mad(pass, buffer, 3, i);
  };
  const GraphExecutor executor(device());
  GraphSession plain = executor.begin_recorded();
  chains(plain);
  const PassReport before = plain.finish();
  const Words expected = contents(x);
  EXPECT_EQ(before.barriers, 12u);
  EXPECT_EQ(before.reordered, 0u);

  for (const Buffer& buffer : {x, y, z}) buffer.write(words(0));
  GraphSession moved = executor.begin_recorded();
  chains(moved);
  const PassReport after = moved.finish({.reorder = true});
  EXPECT_EQ(after.barriers, 4u);
  EXPECT_GT(after.reordered, 0u);
  EXPECT_EQ(after.commands, 15u);
  EXPECT_EQ(commands_in_groups(after), 15u);
  EXPECT_THAT(after.group_sizes, ElementsAre(0, 0, 5)) << "five groups of three";
  for (const Buffer& buffer : {x, y, z}) EXPECT_EQ(contents(buffer), expected);
}

// --- barriers ------------------------------------------------------------------------------------

TEST_P(SessionTest, ABarrierIsAlwaysOne) {
  in_both_modes([&](GraphSession& pass, bool) {
    mad(pass, x, 2, 1);
    pass.barrier();
    EXPECT_EQ(pass.barrier_count(), 1u);
    mad(pass, y, 2, 1);  // would have needed none
    mad(pass, x, 2, 1);  // neither: the barrier was in between
    EXPECT_EQ(pass.barrier_count(), 1u);
    const PassReport report = pass.finish();
    EXPECT_EQ(report.barriers, 1u);
    EXPECT_EQ(contents(x), words(3));
  });
}

TEST_P(SessionTest, ABarrierBetweenIsOneWhereRangesConflict) {
  in_both_modes([&](GraphSession& pass, bool) {
    using Ranges = std::vector<BufferRange>;
    mad(pass, x.range(0, 512), 2, 1);
    pass.copy(z.range(0, 512), y.range(0, 512));
    EXPECT_FALSE(pass.barrier_between(Ranges{y}, Ranges{w})) << "y is only read";
    EXPECT_FALSE(pass.barrier_between(Ranges{x.range(512, 512)}, Ranges{z.range(512, 512)}))
        << "the other halves";
    EXPECT_FALSE(pass.barrier_between({}, {}));
    EXPECT_EQ(pass.barrier_count(), 0u);
    EXPECT_TRUE(pass.barrier_between(Ranges{x.range(508, 8)}, {})) << "read after write";
    EXPECT_EQ(pass.barrier_count(), 1u);
    EXPECT_FALSE(pass.barrier_between(Ranges{x}, Ranges{z})) << "nothing since that barrier";
    pass.copy(z.range(0, 4), y.range(0, 4));
    EXPECT_TRUE(pass.barrier_between({}, Ranges{y})) << "write after read";
    pass.fill(w, std::uint8_t{1});
    EXPECT_TRUE(pass.barrier_between({}, Ranges{w.range(1023, 1)})) << "write after write";
    EXPECT_EQ(pass.barrier_count(), 3u);
    mad(pass, w, 1, 1);
    EXPECT_EQ(pass.barrier_count(), 3u) << "the barrier has been issued already";
    EXPECT_EQ(pass.finish().barriers, 3u);
  });
}

TEST_P(SessionTest, TwoReadersNeedNoBarrier) {
  in_both_modes([&](GraphSession& pass, bool) {
    pass.copy(y, x);
    pass.copy(z, x);
    mix(pass, x, x, w, 2);
    EXPECT_EQ(pass.finish().barriers, 0u);
  });
}

// --- waiting -------------------------------------------------------------------------------------

TEST_P(SessionTest, CommitDoesNotWaitAndWaitGivesTheReport) {
  in_both_modes([&](GraphSession& pass, bool) {
    const Gate gate;
    pass.host_call(gate.holding());
    mad(pass, x, 1, 7);
    const PendingPass pending = pass.commit();
    EXPECT_FALSE(pending.done());
    gate.open();
    const PassReport report = pending.wait();
    EXPECT_TRUE(pending.done());
    EXPECT_EQ(report.commands, 2u);
    EXPECT_EQ(report.dispatches, 1u);
    EXPECT_EQ(contents(x), words(7));
    EXPECT_EQ(pending.wait().commands, 2u) << "and again";
  });
}

TEST_P(SessionTest, SeveralPassesInFlightRunInOrder) {
  const GraphExecutor executor(device());
  const Gate gate;
  executor.stream().host_call(gate.holding());
  std::vector<PendingPass> pending;
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < 20; ++i) {
    GraphSession pass = i % 2 ? executor.begin() : executor.begin_recorded();
    mad(pass, x, 3, i);
    pass.copy(y, x);
    pending.push_back(pass.commit({.reorder = i % 3 == 0}));
    expected = 3 * expected + i;
  }
  gate.open();
  for (auto one = pending.rbegin(); one != pending.rend(); ++one)
    EXPECT_EQ(one->wait().commands, 2u);
  EXPECT_EQ(contents(y), words(expected));
}

TEST_P(SessionTest, APendingPassMayBeForgotten) {
  in_both_modes([&](GraphSession& pass, bool) {
    const Gate gate;
    pass.host_call(gate.holding());
    mad(pass, x, 1, 3);
    { const PendingPass forgotten = pass.commit(); }  // must not wait: the gate is shut
    gate.open();
    device().synchronize();
    EXPECT_EQ(contents(x), words(3));
  });
}

// --- dropped, moved, ended -----------------------------------------------------------------------

TEST_P(SessionTest, DroppedSessionsLeaveTheDeviceUsable) {
  const GraphExecutor executor(device());
  for (int i = 0; i < 200; ++i) {
    GraphSession pass = i % 2 ? executor.begin() : executor.begin_recorded();
    auto scope = pass.scope("dropped");
    pass.write(y, words(1));
    mad(pass, y, 2, 1);
    mad(pass, z, 2, 1);
    if (i % 5 == 0) pass.host_call([] {});
  }
  GraphSession pass = executor.begin_recorded();
  mad(pass, x, 1, 1);
  EXPECT_EQ(pass.finish().commands, 1u);
  device().synchronize();
  EXPECT_EQ(contents(x), words(1));
}

TEST_P(SessionTest, ADroppedRecordedSessionHasRunNothing) {
  const GraphExecutor executor(device());
  {
    GraphSession pass = executor.begin_recorded();
    mad(pass, x, 1, 1);
  }
  device().synchronize();
  EXPECT_EQ(contents(x), words(0));
}

TEST_P(SessionTest, AnExceptionAbandonsThePass) {
  const GraphExecutor executor(device());
  EXPECT_THROW(
      {
        GraphSession pass = executor.begin();
        auto scope = pass.scope("layer0");
        mad(pass, y, 1, 1);
        throw std::runtime_error("out of tokens");
      },
      std::runtime_error);
  GraphSession pass = executor.begin();
  mad(pass, x, 1, 1);
  pass.finish();
  EXPECT_EQ(contents(x), words(1));
}

TEST_P(SessionTest, AnEndedSessionRefusesEverything) {
  in_both_modes([&](GraphSession& pass, bool recorded) {
    mad(pass, x, 1, 1);
    if (recorded) {
      pass.finish();
    } else {
      pass.commit().wait();
    }
    Words target = words(0);
    expect_error(Code::invalid_argument, {"finish"}, [&] { pass.finish(); });
    expect_error(Code::invalid_argument, {"commit"}, [&] { pass.commit(); });
    expect_error(Code::invalid_argument, {"finish"}, [&] { mad(pass, x, 1, 1); });
    expect_error(Code::invalid_argument, {"finish"}, [&] { pass.copy(y, x); });
    expect_error(Code::invalid_argument, {"finish"}, [&] { pass.fill(y, std::uint8_t{1}); });
    expect_error(Code::invalid_argument, {"finish"}, [&] { pass.write(y, target); });
    expect_error(Code::invalid_argument, {"finish"}, [&] { pass.read(y, target); });
    expect_error(Code::invalid_argument, {"finish"}, [&] { pass.host_call([] {}); });
    expect_error(Code::invalid_argument, {"finish"}, [&] { pass.barrier(); });
    device().synchronize();
    EXPECT_EQ(contents(x), words(1));
    EXPECT_EQ(contents(y), words(0));
  });
}

TEST_P(SessionTest, AMovedSessionGoesOnInItsNewPlace) {
  in_both_modes([&](GraphSession& pass, bool recorded) {
    mad(pass, x, 1, 1);
    GraphSession moved = std::move(pass);
    EXPECT_EQ(moved.is_recording(), recorded);
    mad(moved, x, 1, 1);
    EXPECT_EQ(moved.finish().commands, 2u);
    EXPECT_EQ(contents(x), words(2));
    expect_error(Code::invalid_argument, {}, [&] { mad(pass, x, 1, 1); });  // NOLINT: moved-from
    expect_error(Code::invalid_argument, {}, [&] { pass.finish(); });
  });
}

TEST_P(SessionTest, AWrongCallThrowsAndThePassGoesOn) {
  in_both_modes([&](GraphSession& pass, bool) {
    mad(pass, x, 1, 1);
    expect_error(Code::invalid_argument, {"mul_add"},
                 [&] { pass.dispatch(mad_kernel, grid(), inout(x), 1u); });
    expect_error(Code::invalid_argument, {"x"}, [&] { pass.copy(x.range(0, 8), x.range(4, 8)); });
    mad(pass, x, 1, 1);
    EXPECT_EQ(pass.finish().commands, 2u);
    EXPECT_EQ(contents(x), words(2));
  });
}

TEST_P(SessionTest, AHostCallThatThrowsIsToldByFinish) {
  const GraphExecutor executor(device());
  for (const bool recorded : {false, true}) {
    GraphSession pass = recorded ? executor.begin_recorded() : executor.begin();
    pass.host_call([] { throw std::runtime_error("no more paper"); });
    expect_error(Code::host_call_failed, {"no more paper"}, [&] { pass.finish(); });
    GraphSession next = recorded ? executor.begin_recorded() : executor.begin();
    mad(next, x, 1, 1);
    EXPECT_NO_THROW(next.finish());
  }
  EXPECT_EQ(contents(x), words(2));
}

// --- words ---------------------------------------------------------------------------------------

TEST_P(SessionTest, ScopesNestAndArriveInTheNodes) {
  const GraphExecutor executor(device());
  GraphSession pass = executor.begin_recorded();
  {
    auto layer = pass.scope("layer3");
    mad(pass, x, 2, 1);
    {
      auto attention = pass.scope("attention");
      auto projection = pass.scope("q_proj");
      pass.copy(y, x, "keep");
    }
    pass.fill(z, std::uint8_t{1});
  }
  pass.write(w, words(1));
  const auto path = [&](std::size_t i) { return pass.graph().node(node(i)).command.scope.path(); };
  EXPECT_EQ(path(0), "layer3");
  EXPECT_EQ(path(1), "layer3/attention/q_proj");
  EXPECT_EQ(pass.graph().node(node(1)).command.label, "keep");
  EXPECT_EQ(path(2), "layer3");
  EXPECT_EQ(path(3), "");
  pass.finish();
}

}  // namespace
}  // namespace reel::test
