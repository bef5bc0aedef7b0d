#include "layers/opencl/exit_watch.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "layers/opencl/control.hpp"
#include "layers/opencl/session.hpp"

namespace reel::layer {
namespace {

// A handler takes 32 bytes for the rest of the process, and threads may come and go for ever.
constexpr unsigned most_handlers = 256;
std::atomic<unsigned> handlers{0};

// Plain memory: it is looked at when the thread's variables are gone.
thread_local bool is_thread_ending = false;
thread_local unsigned callbacks = 0;

// Threads that made calls and live.
std::atomic<int> threads{0};

// The handler that was there first: the driver's own may have run.
void process_exits() {
  session::hurry();
  control::process_ends();
}

// The first handler to run, while all of the driver works. What the program gives from handlers of
// its own is recorded, too, so this one only waits; but threads that go on giving work don't stop.
void exit_begins() {
  if (!is_thread_ending || callbacks > 0)
    return;  // of a thread that ended before: exit() was called elsewhere
  if (threads.load() > 0)
    control::process_ends();
  else
    session::wait_for_work();
}

void add_handler(void (*function)(), bool always) noexcept {
  if (handlers.fetch_add(1, std::memory_order_relaxed) < most_handlers || always)
    std::atexit(function);
}

struct ThreadEnd {
  bool is_watched = false;
  ~ThreadEnd() {
    if (!is_watched) return;
    is_thread_ending = true;
    threads.fetch_sub(1);
    // The main thread ends once, so it is never one too many.
    add_handler(exit_begins, gettid() == getpid());
  }
};
thread_local ThreadEnd thread_end;

}  // namespace

void watch_exit_from_start() noexcept { add_handler(process_exits, true); }

void watch_exit() noexcept {
  if (thread_end.is_watched) [[likely]]
    return;
  thread_end.is_watched = true;
  threads.fetch_add(1);
  static std::atomic<bool> has_handler{false};
  if (!has_handler.exchange(true)) add_handler(process_exits, true);
}

InCallback::InCallback() noexcept { ++callbacks; }
InCallback::~InCallback() { --callbacks; }

}  // namespace reel::layer
