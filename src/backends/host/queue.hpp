// queue.hpp - a line of tasks, a thread for them, and callers who help.
//
// Short work on an empty line runs at once on the caller. Everything else becomes a task. Tasks
// are run, in order, by the queue's own thread (started when first needed) or by a thread that
// waits for the queue, whichever is there first; host calls only by the former.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "backends/host/pool.hpp"
#include "runtime/driver.hpp"

namespace reel::host {

struct Task {
  std::function<void()> run;
  bool on_own_thread = false;  // may block or call back: not for a helping caller
};

// What a queue shares with its thread and its signals.
class Line {
 public:
  void push(Task task);
  // Number of tasks ever pushed; a ticket for all of them.
  std::uint64_t pushed() const noexcept { return pushed_.load(std::memory_order_relaxed); }
  bool reached(std::uint64_t ticket) const noexcept {
    return done_.load(std::memory_order_acquire) >= ticket;
  }
  // Until `ticket` is reached, running tasks meanwhile. Throws the first error of any task.
  void wait(std::uint64_t ticket);
  // The same, leaving errors to others.
  void wait_quietly(std::uint64_t ticket);
  void serve();  // the thread's life
  void stop();
  void keep_error(std::exception_ptr error);
  void throw_error();

  // Stamps of tasks, from whoever ran them to whoever collects.
  void keep_stamps(const TicketStamps& stamps);
  void take_stamps(StampList& into);

 private:
  // Runs the first task if nobody is at it. Called and returns with the lock held.
  bool run_one(std::unique_lock<std::mutex>& lock, bool own_thread);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool busy_ = false, stopping_ = false;
  std::exception_ptr error_;
  std::atomic<bool> has_error_{false};  // so that waiting for nothing takes no lock
  std::atomic<std::uint64_t> pushed_{0}, done_{0};
  std::mutex stamps_mutex_;
  StampList stamps_;
};

class Queue final : public QueueDriver {
 public:
  Queue(std::shared_ptr<Pool> pool, std::shared_ptr<const DeviceInfo> device);
  ~Queue() override;

  void submit(const Command& command) override;
  std::unique_ptr<ReadyDispatch> make_ready_dispatch() override;
  void submit_stamped(const Command& command, std::uint64_t ticket) override;
  void collect_stamps(StampList& into) override;
  std::shared_ptr<Signal> mark(Stamped stamped) override;
  void wait_for(const std::shared_ptr<Signal>& signal) override;
  void flush() override {}
  bool wait() override;
  bool idle() override;
  void run_in_order(std::function<void()> function, InOrder calls) override {
    push({std::move(function), calls != InOrder::nothing});
  }
  void fetch(const BufferRange& source, std::span<std::byte> target) override;

  // For executables: run `task` after what is in line.
  void push(Task task);
  Pool& pool() noexcept { return *pool_; }
  const std::shared_ptr<Pool>& shared_pool() const noexcept { return pool_; }
  Line& line() noexcept { return *line_; }
  const std::shared_ptr<const DeviceInfo>& device() const noexcept { return device_; }

 private:
  bool runs_on_caller(const Work& work) const;
  void run_on_caller(const Work& work);
  Task make_task(const Command& command) const;

  std::shared_ptr<Pool> pool_;
  std::shared_ptr<const DeviceInfo> device_;
  std::shared_ptr<Line> line_ = std::make_shared<Line>();
  std::thread thread_;
  StampList stamps_;  // of what ran on the caller
};

std::uint64_t now_ns();

}  // namespace reel::host
