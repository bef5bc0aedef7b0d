#include "layers/session/exit_watch.hpp"

#include <atomic>
#include <cstdlib>

#include "base/process/exit_watch.hpp"
#include "layers/control/control.hpp"
#include "layers/session/session.hpp"

namespace reel::layer {
namespace {

// Plain memory: it is looked at when the thread's variables are gone.
thread_local unsigned callbacks = 0;

// The handler that was there first: the driver's own may have run.
void process_exits() {
  session::hurry();
  control::process_ends();
}

// The first handler to run, while all of the driver works. What the program gives from handlers of
// its own is recorded, too, so this one only waits; but threads that go on giving work don't stop.
void exit_begins(bool others) {
  if (callbacks > 0) return;
  if (others)
    control::process_ends();
  else
    session::wait_for_work();
}

}  // namespace

void watch_exit_from_start() noexcept {
  on_exit_begin(ExitStep::end_captures, exit_begins);
  static_cast<void>(std::atexit(process_exits));
}

void watch_exit() noexcept {
  reel::watch_exit();
  static std::atomic<bool> has_handler{false};
  if (has_handler.load(std::memory_order_relaxed)) [[likely]]
    return;
  if (!has_handler.exchange(true)) static_cast<void>(std::atexit(process_exits));
}

InCallback::InCallback() noexcept { ++callbacks; }
InCallback::~InCallback() { --callbacks; }

}  // namespace reel::layer
