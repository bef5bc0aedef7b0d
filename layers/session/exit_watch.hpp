// exit_watch.hpp - ends what is under way when the process exits, before the driver is taken down.
//
// A thread that made calls of an API is watched (base/process/exit_watch.hpp): when it calls
// exit(), the work under way is waited for before any handler ran. The capture ends in the handler
// that was registered with the first context, so that it has what the program does in handlers of
// its own; by then nobody knows what still works, and it waits for nothing. Nor does it where
// exit() comes from a thread without calls, or from inside a callback.
#pragma once

namespace reel::layer {

// The layer is loaded: a program that never makes a context has its document closed, too.
void watch_exit_from_start() noexcept;
// In the thread that calls: contexts are made, or a command is given. Cheap.
void watch_exit() noexcept;

// As long as it lives, the thread is inside a callback of the driver.
class InCallback {
 public:
  InCallback() noexcept;
  ~InCallback();
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
};

}  // namespace reel::layer
