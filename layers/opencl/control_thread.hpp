// control_thread.hpp - the thread that begins and ends captures when the program makes no call.
//
// Made when it is first needed, for the rest of the process. It takes no signal, and serves the
// socket of `reel trigger` when asked to: an abstract one, "reel-<process>", for the same user.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <mutex>

namespace reel::layer {

class Controller;

class ControlThread {
 public:
  explicit ControlThread(Controller& controller) : controller_(controller) {}

  void serve_triggers();  // and starts it
  void start_or_wake();
  void wake() noexcept;     // safe in a signal handler; nothing where none was started
  void abandon() noexcept;  // in a forked child, which has no such thread: lets go of its sockets

 private:
  void start();
  void run() noexcept;
  void wait();
  void answer_one();

  Controller& controller_;
  std::mutex mutex_;  // of starting
  bool started_ = false;
  std::atomic<int> wake_{-1}, socket_{-1};
  ino_t socket_inode_ = 0;
};

}  // namespace reel::layer
