// trigger_thread.hpp - the thread that `reel trigger` talks to.
//
// It listens at an abstract socket, "reel-<process>", for the same user, and has a table of
// descriptors of its own (base/process/own_descriptors.hpp): the program can neither see nor close
// what it listens with. Hence it does nothing but to ask and to answer; who is asked may call a
// driver. Made once, for the rest of the process; it takes no signal.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

namespace reel::layer {

struct Outcome;

class TriggerThread {
 public:
  // Pulls the trigger, elsewhere, and waits for what became of it.
  using Ask = Outcome (*)(void* whom);
  TriggerThread(Ask ask, void* whom) : ask_(ask), whom_(whom) {}

  // Starts it, and waits until it listens. Where it can't, a line says so.
  void start();
  void abandon() noexcept;  // in a forked child, which has no such thread

 private:
  int listen();  // 0, or an errno
  void run() noexcept;
  void answer_one();

  const Ask ask_;
  void* const whom_;
  std::atomic<int> socket_{-1};
  ino_t inode_ = 0;
  bool is_shared_ = true;  // the program has the same descriptors
};

}  // namespace reel::layer
