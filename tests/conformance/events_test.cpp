// How events order streams among each other, and what they tell.
#include <thread>

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "gate.hpp"
#include "kernels.hpp"

namespace reel::test {

TEST_P(AnyDevice, AnEventNeverRecordedIsDone) {
  const Event event = device().event("fresh");
  EXPECT_EQ(event.label(), "fresh");
  EXPECT_TRUE(event.done());
  event.synchronize();
  EXPECT_FALSE(event.time_ns().has_value());
  const Stream stream = device().stream("s");
  stream.wait(event);
  const Buffer x = device().buffer(4, "x");
  stream.fill(x, 7u);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words{7});
}

TEST_P(AnyDevice, AnEventIsDoneOnceItsStreamGotThere) {
  const Stream stream = device().stream("s");
  const Event before = device().event("before"), after = device().event("after");
  stream.record(before);
  Gate gate(stream);
  stream.record(after);
  stream.flush();
  before.synchronize();
  EXPECT_TRUE(before.done());
  EXPECT_FALSE(after.done());
  EXPECT_FALSE(after.time_ns().has_value());
  gate.open();
  after.synchronize();
  EXPECT_TRUE(after.done());
}

TEST_P(AnyDevice, AStreamWaitsForAnEventOfAnother) {
  const Stream first = device().stream("first"), second = device().stream("second");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(4, "x");
  const Event event = device().event("e");
  Gate gate(first);
  first.write(x, Words{41});
  first.record(event);
  second.wait(event);
  second.dispatch(increment, over(1), inout(x), 1u);
  first.flush();
  second.flush();
  EXPECT_FALSE(second.done());
  gate.open();
  EXPECT_EQ(second.read_now<std::uint32_t>(x), Words{42});
}

TEST_P(AnyDevice, WorkForksAndJoinsThroughEvents) {
  const Stream main = device().stream("main");
  const Kernel increment = build(increment_source()), slow = build(slow_source());
  constexpr std::size_t branches = 4;
  std::vector<Stream> streams;
  for (std::size_t i = 0; i < branches; ++i) streams.push_back(device().stream("branch"));
  const Buffer x = device().buffer(256, "x");
  std::vector<Buffer> copies;
  for (std::size_t i = 0; i < branches; ++i) copies.push_back(device().buffer(256, "copy"));
  const Buffer joined = device().buffer(256 * branches, "joined");
  for (std::uint32_t round = 0; round < 10; ++round) {
    const Event fork = device().event("fork");
    main.write(x, counting(64, round));
    main.dispatch(slow, over(64), inout(x), 10000u);
    main.record(fork);
    for (std::size_t i = 0; i < branches; ++i) {
      const Event join = device().event("join");
      streams[i].wait(fork);
      streams[i].copy(copies[i], x);
      for (std::size_t k = 0; k < i; ++k)
        streams[i].dispatch(increment, over(64), inout(copies[i]), 64u);
      streams[i].record(join);
      main.wait(join);
    }
    for (std::size_t i = 0; i < branches; ++i) main.copy(joined.range(256 * i, 256), copies[i]);
    Words wanted;
    for (std::uint32_t i = 0; i < branches; ++i)
      for (std::uint32_t k = 0; k < 64; ++k) wanted.push_back(slow_result(k + round, 10000) + i);
    ASSERT_EQ(first_difference(main.read_now<std::uint32_t>(joined), wanted), "") << round;
  }
}

TEST_P(AnyDevice, AWaitMeansTheLatestRecordAtItsTime) {
  const Stream first = device().stream("first"), second = device().stream("second");
  const Event event = device().event("e");
  const Buffer x = device().buffer(4, "x");
  Gate gate1(first);
  first.record(event);
  second.wait(event);  // the record behind gate 1
  second.fill(x, 5u);
  Gate gate2(first);
  first.record(event);  // moves it behind gate 2, but not what already waits
  first.flush();
  second.flush();
  EXPECT_FALSE(second.done());
  gate1.open();
  EXPECT_EQ(second.read_now<std::uint32_t>(x), Words{5});
  EXPECT_FALSE(event.done());
  gate2.open();
  event.synchronize();
  EXPECT_TRUE(event.done());
}

TEST_P(AnyDevice, AnEventMovesFromStreamToStream) {
  const Stream a = device().stream("a"), b = device().stream("b");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(4, "x");
  const Event event = device().event("baton");
  for (int i = 0; i < 300; ++i) {
    const Stream& stream = i % 2 ? a : b;
    stream.wait(event);
    stream.dispatch(increment, over(1), inout(x), 1u);
    stream.record(event);
  }
  event.synchronize();
  EXPECT_EQ(x.read<std::uint32_t>(), Words{300});
}

TEST_P(AnyDevice, ManyStreamsMayWaitForOneEventAndAStreamForItsOwn) {
  const Stream first = device().stream("first");
  const Event event = device().event("e");
  const Buffer x = device().buffer(4, "x");
  Gate gate(first);
  first.fill(x, 6u);
  first.record(event);
  first.wait(event);
  first.wait(event);
  std::vector<Words> results(8, Words(1));
  std::vector<Stream> streams;
  for (auto& result : results) {
    streams.push_back(device().stream("waiter"));
    streams.back().wait(event);
    streams.back().wait(event);
    streams.back().read(x, result);
  }
  gate.open();
  device().synchronize();
  EXPECT_EQ(results, std::vector<Words>(8, Words{6}));
}

TEST_P(AnyDevice, EventTimesFollowTheOrderOfTheWork) {
  const Stream stream = device().stream("s");
  const Kernel slow = build(slow_source());
  const Buffer x = device().buffer(256, "x");
  std::vector<Event> events;
  for (int i = 0; i < 20; ++i) {
    events.push_back(device().event());
    stream.record(events.back());
    stream.dispatch(slow, over(64), inout(x), 20000u);
  }
  const Event last = device().event("last");
  stream.record(last);
  events.push_back(last);
  stream.synchronize();
  for (std::size_t i = 0; i < events.size(); ++i) {
    ASSERT_EQ(events[i].time_ns().has_value(), info().can_stamp_time) << i;
    if (i > 0 && info().can_stamp_time) {
      EXPECT_GE(*events[i].time_ns(), *events[i - 1].time_ns()) << i;
    }
  }
  // 20 × 64 × 20,000 rounds can't take less than a microsecond, or the clock stands still.
  if (info().can_stamp_time) {
    EXPECT_GT(*events.back().time_ns(), *events.front().time_ns() + 1000);
  }
}

TEST_P(AnyDevice, RecordingAgainGivesANewTime) {
  if (!info().can_stamp_time) return;  // EventTimesFollowTheOrderOfTheWork checks there is none
  const Stream stream = device().stream("s");
  const Event event = device().event("again");
  stream.record(event);
  event.synchronize();
  const auto first = event.time_ns();
  ASSERT_TRUE(first.has_value());
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  stream.record(event);
  event.synchronize();
  ASSERT_TRUE(event.time_ns().has_value());
  EXPECT_GT(*event.time_ns(), *first);
}

TEST_P(AnyDevice, AStreamWaitsForAnEventOfAnotherDevice) {
  const Device other = another_device();
  if (!other) return;  // the only device here has nothing foreign to meet
  const Stream theirs = other.stream("theirs"), mine = device().stream("mine");
  const Buffer x = other.buffer_of(counting(64), "x"), y = device().buffer(256, "y");
  const Kernel slow = other.kernel(slow_source());
  const Event event = other.event("foreign");
  Words through(64);
  theirs.dispatch(slow, over(64), inout(x), 60000u);
  theirs.read(x, through);
  theirs.record(event);
  mine.wait(event);
  Words seen(64);
  mine.host_call([&] { seen = through; });
  mine.synchronize();
  Words wanted = counting(64);
  for (auto& word : wanted) word = slow_result(word, 60000);
  EXPECT_EQ(seen, wanted);
}

TEST_P(AnyDevice, AnEventOfAnotherDeviceCantBeRecorded) {
  const Device other = another_device();
  if (!other) return;  // the only device here has nothing foreign to meet
  const Event foreign = other.event("foreign");
  const Stream mine = device().stream("mine"), theirs = other.stream("theirs");
  mine.host_call([] {});
  expect_error(Code::invalid_argument, {"foreign", "mine"}, [&] { mine.record(foreign); });
  EXPECT_TRUE(foreign.done());
  theirs.wait(foreign);  // would be given a signal of another driver, had it been taken
  theirs.synchronize();
  mine.synchronize();
}

TEST_P(AnyDevice, AnyThreadMayWaitForAnEvent) {
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer(4, "x");
  const Event event = device().event("e");
  Words result(1);
  Gate gate(stream);
  stream.fill(x, 8u);
  stream.read(x, result);
  stream.record(event);
  std::vector<std::thread> waiters;
  std::atomic<int> seen = 0;
  for (int i = 0; i < 4; ++i)
    waiters.emplace_back([&] {
      event.synchronize();
      if (result[0] == 8) ++seen;
    });
  gate.open();
  for (auto& waiter : waiters) waiter.join();
  EXPECT_EQ(seen, 4);
}

}  // namespace reel::test
