// queue.hpp - an in-order line of commands in a cl_command_queue, or in two of them.
//
// PoCL 3.1 reads a clock four times for a command it stamps: some 70 ns of the 460 to 2000 that an
// enqueue takes, and a cl_command_queue can't change its mind. So commands go to one without stamps
// until somebody wants a time, and from then on to one with them, which waits for the first.
//
// No event and no allocation per dispatch, copy, fill or read: a PoCL enqueue is 2 to 4 us, so
// what we add must stay below a few hundred ns. A stamped command has its event, and nothing else
// more. One thread at a time, but for wait().
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>

#include "backends/opencl/device/context.hpp"
#include "backends/opencl/work/event_stamps.hpp"
#include "backends/opencl/work/host_worker.hpp"
#include "backends/opencl/work/signal.hpp"
#include "runtime/driver.hpp"

namespace reel::opencl {

struct BuiltKernel;
struct Grid;

class CommandQueue final : public QueueDriver {
 public:
  explicit CommandQueue(std::shared_ptr<DeviceContext> context,
                        StreamPriority priority = StreamPriority::normal);
  ~CommandQueue() override;

  void submit(const Command& command) override { run(command, nullptr); }
  std::unique_ptr<ReadyDispatch> make_ready_dispatch() override;
  void submit_stamped(const Command& command, std::uint64_t ticket) override;
  void stamp_runs_only() override { stamps_.ask_for_runs_only(); }
  void collect_stamps(StampList& into) override { stamps_.collect(into); }
  std::shared_ptr<Signal> mark(Stamped stamped) override;
  void wait_for(const std::shared_ptr<Signal>& signal) override;
  void flush() override;
  void flush_for_wait() override {}  // clFinish does
  bool wait() override;
  bool idle() override;
  void run_in_order(std::function<void()> function, InOrder calls) override;
  void fetch(const BufferRange& source, std::span<std::byte> target) override;

  // --- for executables -------------------------------------------------------------------------
  cl_command_queue get() const noexcept { return queue_.load(std::memory_order_acquire); }
  // The same; commands have times from now on, where the device can tell them.
  cl_command_queue get_stamping();
  // Stands where something is enqueued, and counts it at its end: a wait() beside it must not
  // take for done what it didn't wait for.
  struct Enqueueing {
    CommandQueue& queue;
    ~Enqueueing() {
      // One thread at a time enqueues, so that no other adds to it meanwhile.
      queue.given_.store(queue.given_.load(std::memory_order_relaxed) + 1,
                         std::memory_order_release);
      queue.marker_.reset();
    }
  };
  // Whether anything may be under way, without asking the driver.
  bool known_idle() const noexcept {
    return finished_.load(std::memory_order_acquire) >= given_.load(std::memory_order_relaxed);
  }
  // The same, having asked after a marker where there is one. Enqueues nothing.
  bool settle();
  // As submit(), with the events of what was enqueued; none where nothing was.
  void run(const Command& command, CommandEvents* events);
  // As submit_stamped() of such a dispatch, which is not empty.
  void enqueue_stamped(BuiltKernel& kernel, const Grid& grid, std::span<const Argument> arguments,
                       std::uint64_t ticket);
  // Holds on to something until all that was enqueued so far is done.
  void keep_until_done(std::shared_ptr<const void> thing);

 private:
  struct Kept {
    EventHandle event;
    std::shared_ptr<const void> thing;
    std::size_t bytes = 0;
  };

  void fill(const Fill& command, CommandEvents* events);
  void write(const Write& command, CommandEvents* events);
  // Which throws nothing but Errors.
  void call(std::function<void()> function, std::string_view name, CommandEvents* events);
  void let_go_of_finished();
  void finished(std::uint64_t given) noexcept;

  std::shared_ptr<DeviceContext> context_;
  std::shared_ptr<Failures> failures_ = std::make_shared<Failures>();
  // How often something was enqueued, and how much of that was seen to be done.
  std::atomic<std::uint64_t> given_ = 0, finished_ = 0;
  HostWorker host_worker_;  // its own: a call that blocks must not stop those of other streams
  EventHandle marker_;      // behind everything enqueued so far, where there is one
  std::deque<Kept> kept_;
  std::size_t kept_bytes_ = 0;
  EventStamps stamps_;
  const StreamPriority priority_;
  // Last: released first.
  QueueHandle plain_, stamping_;
  std::atomic<cl_command_queue> queue_;  // one of the two; wait() reads it beside other calls
};

}  // namespace reel::opencl
