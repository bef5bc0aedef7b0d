// queue.hpp - an in-order cl_command_queue.
//
// No event and no allocation per dispatch, copy, fill or read: a PoCL enqueue is 2 to 4 us, so
// what we add must stay below a few hundred ns. One thread at a time.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "backends/opencl/context.hpp"
#include "backends/opencl/signal.hpp"
#include "runtime/driver.hpp"

namespace reel::opencl {

// The first and last event of one command; one event where the command is one.
struct CommandEvents {
  EventHandle first, last;
};

class CommandQueue final : public QueueDriver {
 public:
  CommandQueue(std::shared_ptr<DeviceContext> context, std::string_view label);
  ~CommandQueue() override;

  void submit(const Command& command) override { run(command.work, nullptr); }
  std::shared_ptr<Signal> mark() override;
  void wait_for(const std::shared_ptr<Signal>& signal) override;
  void flush() override;
  void wait() override;
  bool idle() override;

  // --- for executables -------------------------------------------------------------------------
  cl_command_queue get() const noexcept { return queue_.get(); }
  // Something was enqueued by other means than submit().
  void touch() noexcept {
    busy_ = true;
    marker_.reset();
  }
  // Whether anything may be under way, without asking the driver.
  bool known_idle() const noexcept { return !busy_; }
  // As submit(), with the events of what was enqueued; none where nothing was.
  void run(const Work& work, CommandEvents* events);
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
  void host_call(const HostCall& command, CommandEvents* events);
  void let_go_of_finished();

  std::shared_ptr<DeviceContext> context_;
  std::string label_;
  std::shared_ptr<Failures> failures_ = std::make_shared<Failures>();
  bool busy_ = false;
  EventHandle marker_;  // behind everything enqueued so far, where there is one
  std::deque<Kept> kept_;
  std::size_t kept_bytes_ = 0;
  QueueHandle queue_;  // last: released first
};

}  // namespace reel::opencl
