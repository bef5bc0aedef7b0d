#include "layers/session/process.hpp"

#include <pthread.h>

#include <mutex>

#include "layers/control/control.hpp"
#include "layers/session/exit_watch.hpp"
#include "layers/session/session.hpp"

namespace reel::layer {

void api_loaded(capture::ApiAdapter& api) noexcept {
  session::add(api);
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork([] { session::prepare_fork(); }, [] { session::after_fork_in_parent(); },
                   [] {
                     session::after_fork_in_child();
                     control::process_forked();
                   });
    watch_exit_from_start();
    control::layer_loaded();
    control::first_call();
  });
}

}  // namespace reel::layer
