#include "base/process/exit_watch.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>

#include "base/os/thread.hpp"

namespace reel {
namespace {

// A handler takes 32 bytes for the rest of the process, and threads may come and go for ever.
constexpr unsigned most_handlers = 256;
std::atomic<unsigned> handlers{0};
std::atomic<int> threads{0};                        // that are watched and live
std::array<std::atomic<void (*)(bool)>, 2> told{};  // by step

// Plain memory: it is looked at when the thread's variables are gone.
thread_local bool is_thread_ending = false;

void exit_begins() {
  if (!is_thread_ending) return;  // of a thread that ended before: exit() was called elsewhere
  for (const auto& step : told)
    if (const auto function = step.load()) function(threads.load() > 0);
}

struct ThreadEnd {
  bool is_watched = false;
  ~ThreadEnd() {
    if (!is_watched) return;
    is_thread_ending = true;
    threads.fetch_sub(1);
    // The main thread ends once, so it is never one too many.
    if (handlers.fetch_add(1, std::memory_order_relaxed) < most_handlers || os::is_main_thread())
      static_cast<void>(std::atexit(exit_begins));
  }
};
thread_local ThreadEnd thread_end;

}  // namespace

void on_exit_begin(ExitStep step, void (*function)(bool others)) noexcept {
  told[static_cast<std::size_t>(step)].store(function);
}

void watch_exit() noexcept {
  if (thread_end.is_watched) [[likely]]
    return;
  thread_end.is_watched = true;
  threads.fetch_add(1);
}

}  // namespace reel
