// What drivers tell of when commands went through the device. No public call asks for it, so these
// tests give their commands to a driver's queue themselves, with the barriers a front would send.
#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <thread>

#include "any_device.hpp"
#include "base/handles.hpp"
#include "bytes.hpp"
#include "graph/commands/resource.hpp"
#include "kernels.hpp"
#include "runtime/device_state.hpp"

namespace reel::test {

namespace {

// Times of the host are mapped to the device's clock, and both ends of a test read it. What goes
// wrong is off by far more: another clock, other units, the batch before.
constexpr std::uint64_t clock_error_ns = 10'000'000;

class StampedQueue {
 public:
  explicit StampedQueue(const Device& device)
      : driver_(state_of(device)->driver()),
        queue_(driver_.open_queue("stamped")),
        begin_ns_(driver_.now_ns()) {}

  QueueDriver& operator*() const noexcept { return *queue_; }
  QueueDriver* operator->() const noexcept { return queue_.get(); }
  bool can_stamp() const { return driver_.info().can_stamp_time; }

  std::uint64_t submit(const Work& work) {
    queue_->submit_stamped({work, "stamped"}, next_);
    queue_->submit({Barrier{}});
    return next_++;
  }
  void submit_plainly(const Work& work) {
    queue_->submit({work, "plain"});
    queue_->submit({Barrier{}});
  }
  void wait() {
    queue_->flush();
    queue_->wait();
  }
  // What has come back so far. No ticket may come back twice.
  const std::map<std::uint64_t, Stamps>& collect() {
    StampList got;
    queue_->collect_stamps(got);
    for (const TicketStamps& one : got)
      EXPECT_TRUE(all_.emplace(one.ticket, one.stamps).second) << "twice: " << one.ticket;
    return all_;
  }
  const std::map<std::uint64_t, Stamps>& wait_and_collect() {
    wait();
    collect();
    end_ns_ = driver_.now_ns();
    return all_;
  }

  // In order, within the test, and complete where the device can tell the time.
  void expect_good(std::uint64_t ticket, bool works_on_device = true) const {
    const auto found = all_.find(ticket);
    ASSERT_NE(found, all_.end()) << ticket;
    const Stamps& s = found->second;
    EXPECT_GE(s.queued_ns + clock_error_ns, begin_ns_) << ticket;
    std::uint64_t last = s.queued_ns;
    for (std::uint64_t time : {s.submitted_ns, s.started_ns, s.ended_ns}) {
      if (time == 0) continue;
      EXPECT_GE(time, last) << ticket;
      last = time;
    }
    EXPECT_LE(last, end_ns_ + clock_error_ns) << ticket;
    if (!works_on_device) {
      EXPECT_EQ(s.started_ns, 0u) << ticket;
      EXPECT_EQ(s.ended_ns, 0u) << ticket;
    } else if (can_stamp()) {
      EXPECT_GT(s.submitted_ns, 0u) << ticket;
      EXPECT_GT(s.started_ns, 0u) << ticket;
      EXPECT_GT(s.ended_ns, 0u) << ticket;
    }
  }
  std::uint64_t submitted() const noexcept { return next_ - first_ticket; }

  static constexpr std::uint64_t first_ticket = 1000;

 private:
  DeviceDriver& driver_;
  std::unique_ptr<QueueDriver> queue_;
  std::uint64_t begin_ns_, end_ns_ = 0, next_ = first_ticket;
  std::map<std::uint64_t, Stamps> all_;
};

HostCall call(std::function<void()> function) {
  return {std::make_shared<const std::function<void()>>(std::move(function))};
}

Dispatch dispatch(const Kernel& kernel, std::uint64_t items, std::span<const Argument> arguments) {
  return {kernel, over(items).groups, {group_items}, arguments};
}

}  // namespace

TEST_P(AnyDevice, EveryKindOfCommandComesBackOnceWithItsStamps) {
  const Buffer x = device().buffer(4096, "x"), y = device().buffer(4096, "y");
  const Kernel increment = build(increment_source());
  const std::array<Argument, 2> arguments{inout(x), 64u};
  const Bytes large = noise(4096, 1), small = noise(4, 2), odd = noise(3, 3);
  Bytes read_idle(4096), read_busy(4096);
  bool called = false;
  StampedQueue queue(device());
  // First with nothing under way: the shortest way for most drivers.
  std::vector<std::uint64_t> tickets{
      queue.submit(Write{x, std::as_bytes(std::span(large))}),
      queue.submit(Read{x, std::as_writable_bytes(std::span(read_idle))}),
      queue.submit(dispatch(increment, 64, arguments)),
      queue.submit(Copy{y, x}),
      queue.submit(Fill{x.range(0, 64), 0x01020304, 4}),
      queue.submit(Fill{x.range(65, 6), 0x0102, 2}),  // in three parts on OpenCL
      queue.submit(Write{x.range(0, 4), std::as_bytes(std::span(small))}),
      queue.submit(Write{x.range(5, 3), std::as_bytes(std::span(odd))}),
      queue.submit(Write{x.range(64, 4032), std::as_bytes(std::span(large)).first(4032)}),
      queue.submit(call([&] { called = true; })),
      queue.submit(dispatch(increment, 64, arguments)),
      queue.submit(Read{y, std::as_writable_bytes(std::span(read_busy))}),
  };
  const std::uint64_t barrier = queue.submit(Barrier{});
  const auto& all = queue.wait_and_collect();
  EXPECT_EQ(all.size(), queue.submitted());
  for (std::uint64_t ticket : tickets) queue.expect_good(ticket);
  queue.expect_good(barrier, false);
  EXPECT_TRUE(called);
  EXPECT_EQ(first_difference(read_idle, large), "");
  EXPECT_EQ(read_busy[4095], large[4095]);
  for (std::size_t i = 1; i < tickets.size(); ++i)
    EXPECT_GE(all.at(tickets[i]).ended_ns, all.at(tickets[i - 1]).ended_ns) << i;
}

TEST_P(AnyDevice, LargeTransfersAreStampedToo) {
  constexpr std::size_t size = std::size_t{3} << 20;
  const Buffer x = device().buffer(size, "x");
  const Bytes data = noise(size, 1);
  Bytes seen(size);
  StampedQueue queue(device());
  const std::uint64_t fill = queue.submit(Fill{x, 7, 1});
  const std::uint64_t write = queue.submit(Write{x, std::as_bytes(std::span(data))});
  const std::uint64_t read = queue.submit(Read{x, std::as_writable_bytes(std::span(seen))});
  queue.wait_and_collect();
  for (std::uint64_t ticket : {fill, write, read}) queue.expect_good(ticket);
  EXPECT_EQ(first_difference(seen, data), "");
}

TEST_P(AnyDevice, StampsLastAsLongAsTheWorkDoes) {
  const Buffer x = device().buffer(256, "x");
  const Kernel slow = build(slow_source());
  const std::array<Argument, 2> arguments{inout(x), 60000u};
  StampedQueue queue(device());
  const std::uint64_t first = queue.submit(dispatch(slow, 64, arguments));
  const std::uint64_t sleep =
      queue.submit(call([] { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }));
  const std::uint64_t second = queue.submit(dispatch(slow, 64, arguments));
  const auto& all = queue.wait_and_collect();
  for (std::uint64_t ticket : {first, sleep, second}) queue.expect_good(ticket);
  if (!queue.can_stamp()) return;
  for (std::uint64_t ticket : {first, second})  // 64 × 60,000 rounds
    EXPECT_GT(all.at(ticket).ended_ns - all.at(ticket).started_ns, 1000u);
  EXPECT_GE(all.at(sleep).ended_ns - all.at(sleep).started_ns, 3'000'000u);
  EXPECT_GE(all.at(sleep).started_ns, all.at(first).ended_ns);
  EXPECT_GE(all.at(second).started_ns, all.at(sleep).ended_ns);
}

TEST_P(AnyDevice, StampsOfThousandsOfCommandsAllComeBack) {
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const std::array<Argument, 2> arguments{inout(x), 64u};
  StampedQueue queue(device());
  for (int i = 0; i < 5000; ++i) queue.submit(dispatch(increment, 64, arguments));
  EXPECT_EQ(queue.wait_and_collect().size(), 5000u);
  for (std::uint64_t i = 0; i < 5000; ++i) queue.expect_good(StampedQueue::first_ticket + i);
  // And again, collected as they come.
  for (int i = 0; i < 5000; ++i) {
    queue.submit(dispatch(increment, 64, arguments));
    if (i % 7 == 0) queue.collect();
  }
  EXPECT_EQ(queue.wait_and_collect().size(), 10000u);
  for (std::uint64_t i = 0; i < 10000; ++i) queue.expect_good(StampedQueue::first_ticket + i);
  EXPECT_EQ(x.read<std::uint32_t>(), Words(64, 10000));
}

TEST_P(AnyDevice, NoStampComesBackBeforeItsCommandIsDone) {
  const Buffer x = device().buffer(4, "x");
  Words seen(1);
  std::promise<void> opened;
  StampedQueue queue(device());
  const std::uint64_t before = queue.submit(Fill{x, 7, 4});
  const std::uint64_t gate =
      queue.submit(call([future = opened.get_future().share()] { future.wait(); }));
  const std::uint64_t fill = queue.submit(Fill{x, 8, 4});
  const std::uint64_t read = queue.submit(Read{x, std::as_writable_bytes(std::span(seen))});
  queue->flush();
  EXPECT_TRUE(eventually([&] { return queue.collect().count(before) == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (std::uint64_t ticket : {gate, fill, read}) EXPECT_EQ(queue.collect().count(ticket), 0u);
  opened.set_value();
  EXPECT_EQ(queue.wait_and_collect().size(), 4u);
  for (std::uint64_t ticket : {before, gate, fill, read}) queue.expect_good(ticket);
  EXPECT_EQ(seen, Words{8});
  EXPECT_EQ(queue.wait_and_collect().size(), 4u);  // nothing twice
}

TEST_P(AnyDevice, StampsComeBackWithoutAnybodyWaiting) {
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const std::array<Argument, 2> arguments{inout(x), 64u};
  StampedQueue queue(device());
  for (int i = 0; i < 300; ++i) queue.submit(dispatch(increment, 64, arguments));
  queue->flush();
  EXPECT_TRUE(eventually([&] { return queue.collect().size() == 300; }));
  queue.wait();
}

TEST_P(AnyDevice, OnlyStampedCommandsComeBack) {
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const std::array<Argument, 2> arguments{inout(x), 64u};
  StampedQueue queue(device());
  for (int i = 0; i < 1000; ++i) {
    if (i % 3 == 0)
      queue.submit(dispatch(increment, 64, arguments));
    else
      queue.submit_plainly(dispatch(increment, 64, arguments));
    if (i % 100 == 50) queue->mark(Stamped::no);
  }
  EXPECT_EQ(queue.wait_and_collect().size(), queue.submitted());
  for (std::uint64_t i = 0; i < queue.submitted(); ++i)
    queue.expect_good(StampedQueue::first_ticket + i);
  EXPECT_EQ(x.read<std::uint32_t>(), Words(64, 1000));
}

TEST_P(AnyDevice, WorkOfNoSizeComesBackWithoutTimesOfTheDevice) {
  const Buffer x = device().buffer(256, "x"), y = device().buffer(256, "y");
  const Kernel increment = build(increment_source());
  const std::array<Argument, 2> arguments{inout(x), 64u};
  StampedQueue queue(device());
  for (int round = 0; round < 2; ++round) {  // with nothing under way, and with something
    const std::vector<std::uint64_t> tickets{
        queue.submit(dispatch(increment, 0, arguments)),
        queue.submit(Copy{y.range(0, 0), x.range(0, 0)}),
        queue.submit(Fill{x.range(0, 0), 1, 1}),
        queue.submit(Write{x.range(0, 0), {}}),
        queue.submit(Read{x.range(0, 0), {}}),
        queue.submit(Barrier{}),
    };
    queue.submit_plainly(dispatch(increment, 64, arguments));
    if (round == 0) continue;
    EXPECT_EQ(queue.wait_and_collect().size(), queue.submitted());
    for (std::uint64_t ticket : tickets) queue.expect_good(ticket, false);
  }
}

TEST_P(AnyDevice, AHostCallThatThrowsIsStampedToo) {
  StampedQueue queue(device());
  const std::uint64_t thrower = queue.submit(call([] { throw std::runtime_error("seven"); }));
  EXPECT_THROW(queue.wait(), Error);
  const std::uint64_t after = queue.submit(call([] {}));
  EXPECT_EQ(queue.wait_and_collect().size(), 2u);
  queue.expect_good(thrower);
  queue.expect_good(after);
}

TEST_P(AnyDevice, AQueueMayEndWithStampsNobodyCollected) {
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const std::array<Argument, 2> arguments{inout(x), 64u};
  for (int round = 0; round < 3; ++round) {
    StampedQueue queue(device());
    for (int i = 0; i < 400; ++i) queue.submit(dispatch(increment, 64, arguments));
    queue.submit(call([] {}));
    if (round == 1) queue.collect();
    if (round == 2) queue.wait();
  }
  EXPECT_EQ(x.read<std::uint32_t>(), Words(64, 1200));
}

TEST_P(AnyDevice, StampsAreRightWhileOtherThreadsUseOtherStreams) {
  constexpr int threads = 4, rounds = 300;
  const Kernel increment = build(increment_source());
  std::atomic<bool> over_now = false;
  std::thread neighbour([&] {
    const Stream stream = device().stream("neighbour");
    const Buffer z = device().buffer(256, "z");
    while (!over_now) {
      stream.dispatch(increment, over(64), inout(z), 64u);
      stream.synchronize();
    }
  });
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&] {
      const Buffer x = device().buffer(256, "x");
      const std::array<Argument, 2> arguments{inout(x), 64u};
      StampedQueue queue(device());
      // Waiting is allowed beside everything else.
      std::atomic<bool> given = false;
      std::thread waiter([&] {
        while (!given) queue->wait();
      });
      for (int i = 0; i < rounds; ++i) {
        queue.submit(dispatch(increment, 64, arguments));
        if (i % 100 == 99) queue.submit(call([] {}));
        if (i % 10 == 0) queue.collect();
      }
      given = true;
      waiter.join();
      EXPECT_EQ(queue.wait_and_collect().size(), queue.submitted());
      for (std::uint64_t i = 0; i < queue.submitted(); ++i)
        queue.expect_good(StampedQueue::first_ticket + i);
    });
  for (auto& worker : workers) worker.join();
  over_now = true;
  neighbour.join();
}

}  // namespace reel::test
