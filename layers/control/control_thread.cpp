#include "layers/control/control_thread.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/process/quiet_thread.hpp"

namespace reel::layer {

ControlThread::ControlThread(Controller& controller)
    : controller_(controller),
      triggers_([](void* self) { return static_cast<ControlThread*>(self)->ask(); }, this) {
  sem_init(&awake_, 0, 0);
}

void ControlThread::serve_triggers() {
  start_or_wake();
  {
    const std::lock_guard lock(mutex_);
    if (!started_ || std::exchange(serves_, true)) return;
  }
  triggers_.start();
}

void ControlThread::start_or_wake() {
  const std::lock_guard lock(mutex_);
  if (started_)
    wake();
  else
    start();
}

void ControlThread::start() {
  const int error = start_quiet_thread("reel-control", [this] { run(); });
  started_ = error == 0;
  if (!started_)
    log(LogLevel::error,
        fmt::format("capture: no thread can be made to watch the time: {}.", std::strerror(error)));
}

void ControlThread::wake() noexcept { sem_post(&awake_); }

void ControlThread::abandon() noexcept { triggers_.abandon(); }

void ControlThread::run() noexcept {
  for (;;) {
    try {
      wait();
      answer();
      controller_.look();
    } catch (const std::exception& error) {
      log(LogLevel::error, fmt::format("capture: {}", error.what()));
    } catch (...) {
      log(LogLevel::error, "capture: something unknown went wrong.");
    }
  }
}

// Until a look is due, somebody wakes it, or pulls the trigger.
void ControlThread::wait() {
  const auto next = controller_.next_look_ns();
  if (!next) {
    sem_wait(&awake_);
    return;
  }
  constexpr std::uint64_t second = 1'000'000'000, longest = 60 * second;
  const std::uint64_t until = std::min(*next, monotonic_ns() + longest);
  const timespec time{static_cast<time_t>(until / second), static_cast<long>(until % second)};
  sem_clockwait(&awake_, CLOCK_MONOTONIC, &time);
}

Outcome ControlThread::ask() {
  std::unique_lock lock(asking_);
  asked_ = true;
  outcome_.reset();
  wake();
  answered_.wait(lock, [&] { return outcome_.has_value(); });
  return *outcome_;
}

void ControlThread::answer() {
  {
    const std::lock_guard lock(asking_);
    if (!std::exchange(asked_, false)) return;
  }
  Outcome outcome;
  try {
    outcome = controller_.trigger();
  } catch (const std::exception& error) {
    outcome.why = error.what();
  }
  const std::lock_guard lock(asking_);
  outcome_ = std::move(outcome);
  answered_.notify_one();
}

}  // namespace reel::layer
