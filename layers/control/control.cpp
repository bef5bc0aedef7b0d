#include "layers/control/control.hpp"

#include <signal.h>

#include <cerrno>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/process/environment_variable.hpp"
#include "base/process/forks.hpp"
#include "layers/control/control_thread.hpp"
#include "layers/control/launcher.hpp"
#include "layers/session/session.hpp"

namespace reel::layer::control {
namespace {

// What there is of it in a process; never deleted. A fork leaves the parent's behind, with whatever
// locks its threads had.
struct Process {
  explicit Process(bool forked)
      : controller(settings_from_environment(), forked, monotonic_ns), thread(controller) {
    detail::selects_all.store(controller.settings().kernel.empty(), std::memory_order_relaxed);
  }
  Controller controller;
  ControlThread thread;
};

std::atomic<Process*> current{nullptr};

Process& process() {
  if (Process* here = current.load(std::memory_order_acquire)) return *here;
  // Of two threads that come first one makes it in vain; that happens once.
  auto* fresh = new Process(is_forked());
  Process* expected = nullptr;
  if (current.compare_exchange_strong(expected, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;
  return *expected;
}

// Whatever happens, the program goes on.
template <class Work, class Result>
Result guarded(const Work& work, Result otherwise) noexcept {
  const int saved_errno = errno;
  try {
    otherwise = work();
  } catch (const std::exception& error) {
    log(LogLevel::error, error.what());
  } catch (...) {
    log(LogLevel::error, "capture: something unknown went wrong.");
  }
  errno = saved_errno;
  return otherwise;
}

template <class Work>
void guarded(const Work& work) noexcept {
  guarded(
      [&] {
        work();
        return 0;
      },
      0);
}

void on_signal(int) {
  const int saved_errno = errno;
  if (Process* here = current.load(std::memory_order_acquire)) {
    here->controller.request_trigger();
    session::set_attention(true);
    here->thread.wake();
  }
  errno = saved_errno;
}

// A handler of the program's own stays; then `reel trigger` is the way. `reel capture` starts
// programs with the signal ignored, so that one that comes too early does not end them.
void listen_to_signal() {
  struct sigaction before {};
  if (sigaction(SIGUSR2, nullptr, &before) != 0) return;
  if ((before.sa_flags & SA_SIGINFO) ||
      (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN))
    return;
  struct sigaction ours {};
  ours.sa_handler = on_signal;
  ours.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGUSR2, &ours, nullptr);
}

// After anything that may have begun a capture with an end in time.
void attend(Process& here) {
  if (here.controller.next_look_ns()) here.thread.start_or_wake();
}

}  // namespace

void layer_loaded() noexcept {
  guarded([] {
    const std::string launcher(environment_variable("REEL_LAYER_LAUNCHER"));
    if (!launcher.empty()) tell_launcher(launcher, "loaded");
  });
}

void first_call() noexcept {
  guarded([] {
    Process& here = process();
    if (here.controller.settings().trigger && !here.controller.settings().path.empty()) {
      listen_to_signal();
      here.thread.serve_triggers();
    }
    here.controller.first_call();
    attend(here);
  });
}

void before_command() noexcept {
  guarded([] {
    Process& here = process();
    if (here.controller.before_command()) attend(here);
  });
}

void before_submission(std::uint64_t commands) noexcept {
  guarded([&] {
    Process& here = process();
    if (here.controller.before_submission(commands)) attend(here);
  });
}

bool selects_by_name(std::string_view kernel) noexcept {
  return guarded([&] { return process().controller.selects(kernel); }, true);
}

bool is_armed() noexcept {
  return guarded([] { return process().controller.is_armed(); }, false);
}

StampDetail stamps() noexcept {
  return guarded([] { return process().controller.settings().stamps; }, StampDetail::none);
}

void process_ends() noexcept {
  guarded([] {
    if (Process* here = current.load(std::memory_order_acquire)) here->controller.process_ends();
  });
}

void process_forked() noexcept {
  if (Process* parents = current.exchange(nullptr)) parents->thread.abandon();
  session::set_attention(false);
}

Outcome start(const std::string& path) noexcept {
  return guarded([&] { return process().controller.start(path); }, Outcome{});
}
Outcome stop() noexcept {
  return guarded([] { return process().controller.stop(); }, Outcome{});
}
Outcome trigger() noexcept {
  return guarded(
      [] {
        Outcome outcome = process().controller.trigger();
        attend(process());
        return outcome;
      },
      Outcome{});
}
void set_path(const std::string& path) noexcept {
  guarded([&] { process().controller.set_path(path); });
}

}  // namespace reel::layer::control
