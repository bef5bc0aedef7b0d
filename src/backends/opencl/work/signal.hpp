// signal.hpp - a point in a queue, and what went wrong on the way there.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "backends/opencl/device/context.hpp"
#include "runtime/driver.hpp"

namespace reel::opencl {

// The first failure of work in flight, kept until somebody waits. Any thread.
class Failures {
 public:
  void add(Code code, std::string sentence);
  void throw_once();  // throws what was kept, and forgets it

 private:
  std::atomic<bool> any_ = false;
  std::mutex mutex_;
  Code code_{};
  std::string sentence_;
};

// Throws unless the event is done or still under way.
void check_event(cl_event event);
bool is_done(cl_event event);  // also when it failed

class EventSignal final : public Signal {
 public:
  EventSignal(std::shared_ptr<DeviceContext> context, EventHandle event,
              std::shared_ptr<Failures> failures)
      : context_(std::move(context)), event_(std::move(event)), failures_(std::move(failures)) {}
  // Of a queue with nothing under way: it was reached when it was made.
  EventSignal(std::shared_ptr<DeviceContext> context, std::optional<std::uint64_t> time_ns,
              std::shared_ptr<Failures> failures)
      : context_(std::move(context)), failures_(std::move(failures)), time_ns_(time_ns) {}

  bool done() override;
  void wait() override;
  std::optional<std::uint64_t> time_ns() override;

  cl_event event() const noexcept { return event_.get(); }  // null: it was done from the start

 private:
  std::shared_ptr<DeviceContext> context_;
  EventHandle event_;
  std::shared_ptr<Failures> failures_;
  std::optional<std::uint64_t> time_ns_;
};

}  // namespace reel::opencl
