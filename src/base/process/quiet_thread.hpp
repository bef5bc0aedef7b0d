// quiet_thread.hpp - threads of ours in the program's process, which take none of its signals.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <memory>
#include <utility>

#include "base/os/thread.hpp"

namespace reel {

// While it lives, a thread that is made has all signals blocked: a new one has the mask of the one
// that makes it, and handlers of the program must not run in ours.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// Detached: it lasts as long as the process, and so must the name. 0, or what the system said;
// `function` is then gone.
template <class Function>
int start_quiet_thread(const char* name, Function function) {
  struct Given {
    const char* name;
    Function function;
  };
  auto given = std::make_unique<Given>(Given{name, std::move(function)});
  const SignalsBlocked blocked;
  pthread_t thread{};
  const int error = pthread_create(
      &thread, nullptr,
      [](void* data) -> void* {
        const std::unique_ptr<Given> here(static_cast<Given*>(data));
        os::name_this_thread(here->name);
        here->function();
        return nullptr;
      },
      given.get());
  if (error != 0) return error;
  static_cast<void>(given.release());
  pthread_detach(thread);
  return 0;
}

}  // namespace reel
