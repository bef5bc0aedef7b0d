// Functions of the program in the line of commands: their order, their thread, their errors.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "gate.hpp"
#include "kernels.hpp"

namespace reel::test {

TEST_P(AnyDevice, HostCallsRunInOrder) {
  const Stream stream = device().stream("s");
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < 200; ++i) stream.host_call([&order, i] { order.push_back(i); });
  stream.synchronize();
  EXPECT_EQ(order, counting(200));
}

TEST_P(AnyDevice, AHostCallRunsAfterWhatCameBeforeAndBeforeWhatComesAfter) {
  const Stream stream = device().stream("s");
  const Kernel slow = build(slow_source());
  const Buffer x = device().buffer(256, "x");
  std::vector<std::uint32_t> seen;
  Words target(64);
  for (std::uint32_t i = 0; i < 20; ++i) {
    stream.write(x, counting(64, i));
    stream.dispatch(slow, over(64), inout(x), 5000u);
    stream.read(x, target);
    stream.host_call([&] { seen.push_back(target[63]); });
    stream.fill(x, 0u);
    stream.read(x, target);  // comes after: the host call must not have seen it
  }
  stream.synchronize();
  Words wanted;
  for (std::uint32_t i = 0; i < 20; ++i) wanted.push_back(slow_result(63 + i, 5000));
  EXPECT_EQ(seen, wanted);
  EXPECT_EQ(target, Words(64));
}

TEST_P(AnyDevice, WaitingForTheDeviceWaitsForAllStreamsAlsoWhereOneFails) {
  std::vector<Stream> streams;
  for (const char* name : {"first", "second", "third"}) streams.push_back(device().stream(name));
  std::atomic<int> called = 0;
  Gate gate(streams[2]);
  for (const Stream& stream : streams) {
    stream.host_call([] { throw std::runtime_error("as it should"); }, "fails");
    stream.host_call([&] { ++called; });
    stream.flush();
  }
  std::thread opens([&] {
    while (called < 2) std::this_thread::yield();
    gate.open();
  });
  expect_error(Code::host_call_failed, {"fails", "as it should"}, [&] { device().synchronize(); });
  EXPECT_EQ(called, 3);
  opens.join();
  // Each error comes out once: that of the first stream did.
  streams[0].synchronize();
  for (int i : {1, 2})
    expect_error(Code::host_call_failed, {"fails"}, [&] { streams[i].synchronize(); });
  device().synchronize();
}

TEST_P(AnyDevice, AHostCallRunsOnAThreadOfTheLibrary) {
  const Stream stream = device().stream("s");
  std::thread::id thread;
  stream.host_call([&] { thread = std::this_thread::get_id(); });
  stream.synchronize();
  EXPECT_NE(thread, std::thread::id());
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST_P(AnyDevice, AHeldHostCallDoesntStopThoseOfOtherStreams) {
  const Stream held = device().stream("held"), free = device().stream("free");
  std::atomic<bool> called = false;
  Gate gate(held);
  free.host_call([&] { called = true; });
  free.flush();
  EXPECT_TRUE(eventually([&] { return called.load(); }));
  EXPECT_FALSE(held.done());
  gate.open();
  device().synchronize();
}

TEST_P(AnyDevice, AnEventAfterAHostCallWaitsForIt) {
  const Stream first = device().stream("first"), second = device().stream("second");
  const Event event = device().event("e");
  std::atomic<bool> called = false, called_before = false;
  first.host_call([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    called = true;
  });
  first.record(event);
  second.wait(event);
  second.host_call([&] { called_before = called.load(); });
  second.synchronize();
  EXPECT_TRUE(called_before);
}

TEST_P(AnyDevice, AHostCallThatThrowsIsToldOnceAtSynchronize) {
  const Stream stream = device().stream("decode");
  const Buffer x = device().buffer(4, "x");
  bool later = false;
  stream.host_call([] { throw std::runtime_error("the decoder has no tokens"); }, "sample");
  stream.fill(x, 3u);
  stream.host_call([&] { later = true; });
  expect_error(Code::host_call_failed, {"the decoder has no tokens", "sample"},
               [&] { stream.synchronize(); });
  stream.synchronize();
  EXPECT_TRUE(later) << "the stream goes on after a host call that failed";
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words{3});
  stream.host_call([] {});
  stream.synchronize();
}

TEST_P(AnyDevice, AHostCallMayThrowAnything) {
  const Stream stream = device().stream("decode");
  stream.host_call([] { throw 7; }, "odd one");
  expect_error(Code::host_call_failed, {"odd one"}, [&] { stream.synchronize(); });
  stream.host_call([] { throw Error(Code::invalid_argument, "An error of ours."); }, "nested");
  expect_error(Code::host_call_failed, {"An error of ours.", "nested"},
               [&] { stream.synchronize(); });
  stream.synchronize();
}

TEST_P(AnyDevice, TheFirstOfManyFailuresIsTold) {
  const Stream stream = device().stream("decode");
  for (int i = 0; i < 5; ++i)
    stream.host_call([i] { throw std::runtime_error("failure " + std::to_string(i)); });
  expect_error(Code::host_call_failed, {"failure 0"}, [&] { stream.synchronize(); });
  const Buffer x = device().buffer(4, "x");
  stream.fill(x, 1u);
  // The other four may be told or left out, but never more than once each.
  int told = 0;
  while (told < 5) try {
      stream.synchronize();
      break;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::host_call_failed);
      ++told;
    }
  EXPECT_LT(told, 5);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words{1});
}

TEST_P(AnyDevice, EveryCallThatWaitsTellsOfAFailedHostCall) {
  const Stream stream = device().stream("decode");
  const Event event = device().event("e");
  const Buffer x = device().buffer(4, "x");
  const auto fail_again = [&] { stream.host_call([] { throw std::runtime_error("no luck"); }); };
  fail_again();
  expect_error(Code::host_call_failed, {"no luck"}, [&] { stream.read_now<std::uint32_t>(x); });
  fail_again();
  stream.record(event);
  expect_error(Code::host_call_failed, {"no luck"}, [&] { event.synchronize(); });
  fail_again();
  expect_error(Code::host_call_failed, {"no luck"}, [&] { device().synchronize(); });
  fail_again();
  expect_error(Code::host_call_failed, {"no luck"}, [&] { x.read<std::uint32_t>(); });
  stream.synchronize();
  device().synchronize();
  EXPECT_EQ(x.read<std::uint32_t>(), Words{0});
}

TEST_P(AnyDevice, AFailureOnOneStreamIsNotToldByAnother) {
  const Stream failing = device().stream("failing"), fine = device().stream("fine");
  failing.host_call([] { throw std::runtime_error("mine alone"); });
  fine.host_call([] {});
  fine.synchronize();
  expect_error(Code::host_call_failed, {"mine alone"}, [&] { failing.synchronize(); });
}

TEST_P(AnyDevice, AnEmptyFunctionIsRefused) {
  const Stream stream = device().stream("decode");
  expect_error(Code::invalid_argument, {"nothing here"},
               [&] { stream.host_call(std::function<void()>(), "nothing here"); });
}

TEST_P(AnyDevice, WhatAHostCallHoldsIsLetGo) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  {
    const Stream stream = device().stream("s");
    stream.host_call([held = std::move(held)] {});
    stream.synchronize();
  }
  EXPECT_TRUE(eventually([&] { return watch.expired(); }));
}

}  // namespace reel::test
