// quiet_thread.hpp - a thread of ours in the program's process, which takes none of its signals.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <memory>
#include <utility>

namespace reel::layer {

// Detached: it lasts as long as the process. 0, or what the system said; `function` is then gone.
template <class Function>
int start_quiet_thread(const char* name, Function function) {
  auto given = std::make_unique<Function>(std::move(function));
  // A new thread has the mask of the one that makes it: no signal of the program's is to end here.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int error = pthread_create(
      &thread, nullptr,
      [](void* data) -> void* {
        const std::unique_ptr<Function> here(static_cast<Function*>(data));
        (*here)();
        return nullptr;
      },
      given.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return error;
  static_cast<void>(given.release());
  pthread_setname_np(thread, name);
  pthread_detach(thread);
  return 0;
}

}  // namespace reel::layer
