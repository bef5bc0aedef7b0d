// control_thread.hpp - the thread that begins and ends captures when the program makes no call.
//
// Made when it is first needed, for the rest of the process. It takes no signal. It may call the
// driver, whose descriptors are the program's, so it shares them, and has none of its own.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "layers/control/controller.hpp"
#include "layers/control/trigger_thread.hpp"

namespace reel::layer {

class ControlThread {
 public:
  explicit ControlThread(Controller& controller);

  void serve_triggers();  // and starts it
  void start_or_wake();
  void wake() noexcept;     // safe in a signal handler; nothing where none was started
  void abandon() noexcept;  // in a forked child, which has no such thread

 private:
  void start();
  void run() noexcept;
  void wait();
  Outcome ask();  // on the thread of the triggers: what became of one
  void answer();

  Controller& controller_;
  std::mutex mutex_;  // of starting
  bool started_ = false;
  sem_t awake_;

  std::mutex asking_;  // of what follows
  std::condition_variable answered_;
  bool asked_ = false;
  std::optional<Outcome> outcome_;
  bool serves_ = false;
  TriggerThread triggers_;
};

}  // namespace reel::layer
