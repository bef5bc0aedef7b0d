// Handles may go in any order, on any thread, with work under way; what is running goes on.
#include <algorithm>
#include <atomic>
#include <thread>

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "reel/graph.hpp"
#include "reel/graph_exec.hpp"

namespace reel::test {

namespace {

// Everything a piece of work needs, to be dropped piece by piece. `finished` outlives it.
struct Work {
  Device device;
  Buffer x, y;
  Kernel slow;
  Stream stream;
  Event event;

  Work(const Device& on, const Kernel& kernel, std::shared_ptr<std::atomic<bool>> finished)
      : device(on),
        x(device.buffer_of(counting(64), "x")),
        y(device.buffer(256, "y")),
        slow(kernel),
        stream(device.stream("in flight")),
        event(device.event("e")) {
    stream.dispatch(slow, over(64), inout(x), 60000u);
    stream.copy(y, x);
    stream.record(event);
    stream.host_call([finished] { *finished = true; });
    stream.flush();
  }

  static constexpr int parts = 6;
  void drop(int part) {
    switch (part) {
      case 0:
        device = {};
        break;
      case 1:
        x = {};
        break;
      case 2:
        y = {};
        break;
      case 3:
        slow = {};
        break;
      case 4:
        stream = {};
        break;
      case 5:
        event = {};
        break;
    }
  }
};

}  // namespace

TEST_P(AnyDevice, HandlesMayBeDroppedInEveryOrderWhileWorkIsUnderWay) {
  const Kernel slow = build(slow_source());
  int order[Work::parts] = {0, 1, 2, 3, 4, 5};
  int tried = 0;
  do {
    if (tried++ % 5) continue;  // 144 of the 720 orders, among them each part first and last
    const auto finished = std::make_shared<std::atomic<bool>>(false);
    Work work(device(), slow, finished);
    for (const int part : order) work.drop(part);
    ASSERT_TRUE(eventually([&] { return finished->load(); })) << "order number " << tried;
  } while (std::next_permutation(std::begin(order), std::end(order)));
}

TEST_P(AnyDevice, TheLastHandleOfADeviceMayBeAnyOfItsOwn) {
  for (int last = 0; last < Work::parts; ++last) {
    const auto finished = std::make_shared<std::atomic<bool>>(false);
    const auto open = [&] {
      const Device fresh = open_device(GetParam());
      return Work(fresh, fresh.kernel(slow_source()), finished);
    };
    Work work = open();
    for (int part = 0; part < Work::parts; ++part)
      if (part != last) work.drop(part);
    work.drop(last);
    ASSERT_TRUE(eventually([&] { return finished->load(); })) << "last: part " << last;
  }
}

TEST_P(AnyDevice, EverythingMayBeDroppedOnAnotherThread) {
  const Kernel slow = build(slow_source());
  for (int i = 0; i < 10; ++i) {
    const auto finished = std::make_shared<std::atomic<bool>>(false);
    auto work = std::make_unique<Work>(device(), slow, finished);
    std::thread([&] { work.reset(); }).join();
    ASSERT_TRUE(eventually([&] { return finished->load(); }));
  }
}

TEST_P(AnyDevice, ADeviceMayBeUsedThroughItsChildrenAlone) {
  Stream stream;
  Buffer x;
  Kernel increment;
  {
    const Device fresh = open_device(GetParam());
    stream = fresh.stream("s");
    x = fresh.buffer(4, "x");
    increment = fresh.kernel(increment_source());
  }
  stream.dispatch(increment, over(1), inout(x), 1u);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words{1});
  EXPECT_EQ(stream.device().info().backend, info().backend);
}

TEST_P(AnyDevice, CommandsKeepTheirBuffersAliveAfterTheLastHandle) {
  const Stream stream = device().stream("s");
  const Kernel increment = build(increment_source());
  const Buffer result = device().buffer(65536, "result");
  Gate gate(stream);
  for (std::uint32_t round = 0; round < 20; ++round) {
    const Buffer a = device().buffer(65536, "a"), b = device().buffer(65536, "b");
    stream.fill(a, round);
    stream.dispatch(increment, over(16384), inout(a), 16384u);
    stream.copy(b, a);
    stream.copy(result, b);
  }
  // Memory given back too early would be handed out again here.
  std::vector<Buffer> others;
  for (int i = 0; i < 20; ++i) {
    others.push_back(device().buffer(65536, "other"));
    const Stream scribbler = device().stream("scribbler");
    scribbler.fill(others.back(), 0xffu);
    scribbler.synchronize();
  }
  gate.open();
  EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(result), Words(16384, 20)), "");
}

// The kernel is the only one to use them: drivers hold on to no address that a kernel was given.
TEST_P(AnyDevice, KernelsKeepMemoryOfEveryKindAliveAfterTheLastHandle) {
  constexpr std::uint32_t n = 16384;
  const auto kinds = {&Device::shared_virtual_buffer, &Device::host_visible_buffer};
  for (const auto kind : kinds) {
    if (kind == &Device::host_visible_buffer && !info().maps_memory) continue;
    for (const bool as_graph : {false, true}) {
      const Stream stream = device().stream("s");
      const Kernel step = build(step_source());
      const Buffer result = device().buffer(n * 4, "result");
      Buffer gone = (device().*kind)(n * 4, "gone");
      gone.write(Words(n, 5));
      Gate gate(stream);
      if (as_graph) {
        Graph graph;
        graph.add_dispatch(step, over(n), in(gone), out(result), n);
        graph.instantiate(device()).launch(stream);
      } else {
        stream.dispatch(step, over(n), in(gone), out(result), n);
      }
      gone = {};
      // Memory given back too early would be handed out again here.
      std::vector<Buffer> others;
      for (int i = 0; i < 8; ++i) {
        others.push_back((device().*kind)(n * 4, "other"));
        const Stream scribbler = device().stream("scribbler");
        scribbler.fill(others.back(), 0xffu);
        scribbler.synchronize();
      }
      gate.open();
      EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(result), Words(n, 16)), "")
          << as_graph;
    }
  }
}

TEST_P(AnyDevice, CommandsKeepTheirKernelAliveAfterTheLastHandle) {
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer(4, "x");
  {
    const Kernel increment = device().kernel(increment_source());
    Gate gate(stream);
    for (int i = 0; i < 10; ++i) stream.dispatch(increment, over(1), inout(x), 1u);
  }
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words{10});
}

TEST_P(AnyDevice, AnEventOutlivesItsStream) {
  const Kernel slow = build(slow_source());
  const Buffer x = device().buffer_of(counting(64), "x");
  const Event event = device().event("e");
  const Stream other = device().stream("other");
  {
    const Stream stream = device().stream("brief");
    stream.dispatch(slow, over(64), inout(x), 60000u);
    stream.record(event);
  }
  other.wait(event);
  Words wanted = counting(64);
  for (auto& word : wanted) word = slow_result(word, 60000);
  EXPECT_EQ(other.read_now<std::uint32_t>(x), wanted);
  EXPECT_TRUE(event.done());
  event.synchronize();
  EXPECT_EQ(event.time_ns().has_value(), info().can_stamp_time);
}

TEST_P(AnyDevice, AStreamOutlivesTheEventsItWaitsFor) {
  const Stream first = device().stream("first"), second = device().stream("second");
  const Buffer x = device().buffer(4, "x");
  Gate gate(first);
  first.fill(x, 4u);
  {
    const Event event = device().event("brief");
    first.record(event);
    second.wait(event);
  }
  Words result(1);
  second.read(x, result);
  gate.open();
  second.synchronize();
  EXPECT_EQ(result, Words{4});
}

TEST_P(AnyDevice, AHostCallMayHoldTheLastHandlesOfItsOwnStreamAndDevice) {
  const auto finished = std::make_shared<std::atomic<bool>>(false);
  {
    const Device fresh = open_device(GetParam());
    const Stream stream = fresh.stream("s");
    const Buffer x = fresh.buffer(4, "x");
    stream.fill(x, 1u);
    stream.host_call([fresh, stream, x, finished] { *finished = true; });
    stream.flush();
  }
  EXPECT_TRUE(eventually([&] { return finished->load() && finished.use_count() == 1; }));
}

TEST_P(AnyDevice, CopiesOfAHandleAreTheSameThing) {
  Buffer a = device().buffer(4, "x");
  const Buffer b = a;
  EXPECT_EQ(a.id(), b.id());
  b.write(Words{3});
  EXPECT_EQ(a.read<std::uint32_t>(), Words{3});
  a = {};
  EXPECT_FALSE(a);
  EXPECT_TRUE(b);
  EXPECT_EQ(b.read<std::uint32_t>(), Words{3});
  const Stream s = device().stream("s"), t = s;
  EXPECT_EQ(s.id(), t.id());
  EXPECT_NE(s.id(), device().stream("s").id());
  EXPECT_EQ(s.label(), "s");
  EXPECT_TRUE(s.device() == device());
}

TEST_P(AnyDevice, AFreedBufferIsKeptByTheCommandsThatNameIt) {
  const Stream stream = device().stream("s");
  const Buffer result = device().buffer(4096, "result");
  Buffer x = device().buffer(4096, "x");
  Gate gate(stream);
  stream.fill(x, 6u);
  stream.copy(result, x);
  x.free();
  const Buffer other = device().buffer(4096, "other");
  gate.open();
  EXPECT_EQ(stream.read_now<std::uint32_t>(result), Words(1024, 6));
  EXPECT_EQ(other.read<std::uint32_t>(), Words(1024));
}

}  // namespace reel::test
