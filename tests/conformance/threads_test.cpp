// Everything may be called from any thread; calls on one stream are taken one at a time.
#include <atomic>
#include <functional>
#include <thread>

#include "any_device.hpp"
#include "bytes.hpp"
#include "kernels.hpp"

namespace reel::test {

namespace {

constexpr std::uint32_t thread_count = 8;

// Failures inside a thread come back as text; gtest's own assertions are thread-safe, but an
// exception that leaves a thread ends the process.
void on_threads(const std::function<void(std::uint32_t)>& body) {
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < thread_count; ++i)
    threads.emplace_back([&, i] {
      try {
        body(i);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "thread " << i << ": " << error.what();
      }
    });
  for (auto& thread : threads) thread.join();
}

}  // namespace

TEST_P(AnyDevice, EightThreadsWorkOnTheirOwnStreams) {
  const Device shared_device = device();
  const Kernel step = build(step_source());  // one Kernel for all of them
  on_threads([&](std::uint32_t id) {
    const Stream stream = shared_device.stream("own");
    Buffer x = shared_device.buffer_of(counting(100, id), "x"), y = shared_device.buffer(400, "y");
    Words wanted = counting(100, id);
    for (int i = 0; i < 100; ++i) {
      stream.dispatch(step, over(100), in(x), out(y), 100u);
      std::swap(x, y);
      for (auto& word : wanted) word = 3 * word + 1;
    }
    EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(x), wanted), "") << "thread " << id;
  });
}

TEST_P(AnyDevice, EightThreadsShareOneKernelWithArgumentsOfTheirOwn) {
  const Device shared_device = device();
  const Kernel scale = build(scale_source());
  on_threads([&](std::uint32_t id) {
    const Stream stream = shared_device.stream("own");
    const Buffer x = shared_device.buffer(400, "x");
    const auto factor = static_cast<float>(id + 2);
    for (int round = 0; round < 100; ++round) {
      stream.fill(x, 1.0f);
      stream.dispatch(scale, over(100), inout(x), factor, 100u);
      // An argument of another thread would show at once.
      if (round % 20 == 0) {
        EXPECT_EQ(stream.read_now<float>(x), std::vector<float>(100, factor)) << "thread " << id;
      }
    }
    EXPECT_EQ(stream.read_now<float>(x), std::vector<float>(100, factor)) << "thread " << id;
  });
}

TEST_P(AnyDevice, EightThreadsMayCallOneStream) {
  const Stream stream = device().stream("shared");
  const Kernel count = build(count_source()), increment = build(increment_source());
  const Buffer counter = device().buffer(4, "counter");
  const Buffer x = device().buffer(4 * thread_count * 64, "x");
  on_threads([&](std::uint32_t) {
    for (int i = 0; i < 100; ++i) {
      stream.dispatch(count, over(64), inout(counter), 1u);
      stream.dispatch(increment, over(thread_count * 64), inout(x), thread_count * 64);
      if (i % 25 == 0) stream.synchronize();
      if (i % 10 == 0) stream.done();
    }
  });
  EXPECT_EQ(stream.read_now<std::uint32_t>(counter), Words{thread_count * 100 * 64});
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words(thread_count * 64, thread_count * 100));
}

// One thread's wait must not make another's work look done, nor give back what it still needs.
TEST_P(AnyDevice, EightThreadsReadThroughOneStream) {
  const Stream stream = device().stream("shared");
  const Kernel increment = build(increment_source());
  constexpr std::uint32_t n = 1001;  // too odd a size for shortcuts
  std::vector<Buffer> buffers;
  for (std::uint32_t i = 0; i < thread_count; ++i) buffers.push_back(device().buffer(n * 4, "own"));
  on_threads([&](std::uint32_t id) {
    for (std::uint32_t round = 0; round < 50; ++round) {
      stream.write(buffers[id], counting(n, id * 1000 + round));
      stream.dispatch(increment, over(n), inout(buffers[id]), n);
      ASSERT_EQ(first_difference(stream.read_now<std::uint32_t>(buffers[id]),
                                 counting(n, id * 1000 + round + 1)),
                "")
          << "thread " << id << ", round " << round;
    }
  });
}

TEST_P(AnyDevice, HostCallsOfOneStreamNeverOverlap) {
  const Stream stream = device().stream("shared");
  std::atomic<int> inside = 0, most = 0;
  int total = 0;  // no lock: the stream's order is the lock
  on_threads([&](std::uint32_t) {
    for (int i = 0; i < 50; ++i)
      stream.host_call([&] {
        const int now = ++inside;
        if (now > most) most = now;
        ++total;
        --inside;
      });
  });
  stream.synchronize();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(total, 400);
}

TEST_P(AnyDevice, EightThreadsMakeAndDropEverything) {
  const Device shared_device = device();
  on_threads([&](std::uint32_t id) {
    for (std::uint32_t i = 0; i < 20; ++i) {
      const Stream stream = shared_device.stream("brief");
      const Event event = shared_device.event("brief");
      const Buffer a = shared_device.buffer(1000 + id, "a"), b = shared_device.buffer(1000 + id);
      stream.fill(a, static_cast<std::uint8_t>(id + i));
      stream.record(event);
      stream.copy(b, a);
      event.synchronize();
      const Bytes wanted(1000 + id, static_cast<std::uint8_t>(id + i));
      EXPECT_EQ(first_difference(stream.read_now<std::uint8_t>(b), wanted), "") << id;
    }
  });
}

TEST_P(AnyDevice, EightThreadsBuildTheSameKernel) {
  const Device shared_device = device();
  on_threads([&](std::uint32_t id) {
    const Kernel increment = shared_device.kernel(increment_source());
    const Stream stream = shared_device.stream("own");
    const Buffer x = shared_device.buffer_of(Words{id}, "x");
    stream.dispatch(increment, over(1), inout(x), 1u);
    EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words{id + 1});
  });
}

TEST_P(AnyDevice, ThreadsHandWorkToEachOtherThroughEvents) {
  const Device shared_device = device();
  const Kernel increment = build(increment_source());
  const Buffer x = shared_device.buffer(4, "x");
  std::vector<Event> events;
  for (std::uint32_t i = 0; i <= thread_count; ++i) events.push_back(shared_device.event("baton"));
  std::atomic<std::uint32_t> turn = 0;
  on_threads([&](std::uint32_t id) {
    const Stream stream = shared_device.stream("own");
    while (turn != id) std::this_thread::yield();  // the event must be recorded before the wait
    stream.wait(events[id]);
    for (int i = 0; i < 10; ++i) stream.dispatch(increment, over(1), inout(x), 1u);
    stream.record(events[id + 1]);
    turn = id + 1;
    stream.synchronize();
  });
  EXPECT_EQ(x.read<std::uint32_t>(), Words{thread_count * 10});
}

TEST_P(AnyDevice, ThreadsMaySynchronizeTheDeviceWhileOthersWork) {
  const Device shared_device = device();
  const Kernel increment = build(increment_source());
  on_threads([&](std::uint32_t id) {
    const Stream stream = shared_device.stream("own");
    const Buffer x = shared_device.buffer(4, "x");
    for (std::uint32_t i = 1; i <= 20; ++i) {
      stream.dispatch(increment, over(1), inout(x), 1u);
      if (id % 2)
        shared_device.synchronize();
      else
        EXPECT_EQ(x.read<std::uint32_t>(), Words{i});
    }
  });
}

}  // namespace reel::test
