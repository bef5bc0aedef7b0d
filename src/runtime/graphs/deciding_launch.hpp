// deciding_launch.hpp - the walk through an exec as its conditions say, one part at a time.
//
// It can be left between two parts and be continued by another thread, on another queue, and with a
// clone of the exec in the exec's place. One thread at a time.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "reel/decision.hpp"
#include "reel/error.hpp"
#include "runtime/driver.hpp"
#include "runtime/graphs/deciding_executable.hpp"
#include "runtime/graphs/deciding_frames.hpp"

namespace reel {

// A decision failed: what comes after it is not launched.
class DecisionError final : public Error {
 public:
  using Error::Error;
};

// Is it what the work of a launch failed with, and so for whoever waits for that?
bool is_of_launched_work(const Error& error) noexcept;
enum class DecidedPart : std::uint8_t { branch, round };  // of a decision

class DecidingLaunch {
 public:
  void begin(GraphExecState& exec);
  // Between two parts of an exec, or two rounds of a loop that is one.
  struct Place {
    std::uint32_t part = 0;   // that comes next
    std::uint64_t round = 0;  // of it, where it has begun
  };
  // The same from there on, in memory that is kept, which comes back empty.
  void begin(GraphExecState& exec, Place from, DecidingFrames& spare) {
    frames_.swap(spare);
    begin(exec);
    frames_.back().part = from.part;
    frames_.back().round = from.round;
    frames_.back().is_looping = from.round != 0;
  }
  void give_back(DecidingFrames& spare) noexcept { spare.swap(frames_); }
  bool is_over() const noexcept { return frames_.empty(); }
  void step();
  void finish() {
    while (!is_over()) step();
  }
  // All of it. Throws the first error of several.
  void run(GraphExecState& exec);
  // What the next step does.
  enum class Next : std::uint8_t {
    gives,           // and waits for nothing
    asks_condition,  // so it needs all that was given to be done
    asks_function,   // of the program, which may take its time
  };
  Next next() const;
  // Goes on in `clone`, a clone of the exec that it began with.
  void move_to(GraphExecState& clone);

 protected:
  enum class Mode : std::uint8_t {
    plain,  // as is fastest
    split,  // part by part, for those who want times
    told,   // so, and somebody wants the words of decided()
  };
  explicit DecidingLaunch(Mode mode) noexcept : mode_(mode) {}
  DecidingLaunch(DecidingLaunch&&) = default;
  DecidingLaunch& operator=(DecidingLaunch&&) = delete;
  ~DecidingLaunch() = default;
  virtual void give(const LaunchedSteps& steps) = 0;
  // A decision as the device takes it.
  virtual std::shared_ptr<const Stops> give(DecidedLaunchable& on_device) = 0;
  // After all that was given is done.
  virtual std::uint32_t fetch(const BufferRange& condition) = 0;
  // Only where the launch tells:
  // The node that reads `condition`, or is a Barrier, decided: "while 'retry': 1, round 3".
  virtual void decided(const Command& condition, std::string_view words) = 0;
  // A host call that throws leaves the rest of a graph to run, wherever the walk has got to by
  // then: `fetch` is called again. Each error is thrown once, so that this ends.
  template <class F>
  void ask_in_spite_of_host_calls(F&& fetch);
  // In a catch block.
  void note_failure() noexcept {
    if (!failure_) failure_ = std::current_exception();
  }
  void throw_failure() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  // A decision begins, and within it a branch or a round of it; what began last ends first. After
  // an error, all that began have ended.
  virtual void begins(const Command& condition, DecisionKind kind, NodeId node) = 0;
  virtual void begins(DecidedPart part, std::uint64_t number) = 0;
  virtual void has_number(std::uint64_t number) = 0;  // the decision that began last
  virtual void ends() = 0;
  // Of the exec that is launched: where the node stands that gives what is given now.
  std::uint32_t first_step() const noexcept { return first_step_; }
  bool is_in_branch() const noexcept { return in_branch_; }

 private:
  using Frame = DecidingFrame;

  bool tells() const noexcept { return mode_ == Mode::told; }
  void decide(Frame& frame, DecidingExecutable::Choice& choice);
  void decide_by_host(Frame& frame, DecidingExecutable::Choice& choice);
  void loop(Frame& frame, DecidingExecutable::Choice& choice);
  // Does the device take the next rounds at once?
  bool takes_rounds(const Frame& frame, const DecidingExecutable::Choice& choice) const;
  // Why it must not go on; empty where it may.
  std::string limit_reached(Frame& frame, const Decision& decision, std::uint32_t value) const;
  // The device took the decision, or rounds of it: goes on behind it, or where the device stopped.
  void look_where_it_stopped(Frame& frame);
  void resume_at(std::span<const StoppedAt> place);
  std::uint32_t ask(const Frame& frame, const DecidingExecutable::Choice& choice);
  void enter(Frame& frame, DecidingExecutable::Choice& choice, std::size_t branch,
             std::string& words);
  // The innermost exec goes on with its next part; those that have none are left.
  void part_is_done();
  void decision_is_done();
  void leave(Frame& frame);
  void give_whole(GraphExecState& exec, std::string_view name);
  std::string name_of_decision() const;  // with what it is in

  const Mode mode_;
  bool in_branch_ = false;
  std::uint32_t first_step_ = 0;
  DecidingFrames frames_;
  std::exception_ptr failure_;  // the first one, of those after which it goes on
};

template <class F>
void DecidingLaunch::ask_in_spite_of_host_calls(F&& fetch) {
  for (;;) {
    try {
      return fetch();
    } catch (const Error& error) {
      if (error.code() != Code::host_call_failed) throw;
      note_failure();
    }
  }
}

// The walk by a queue that is given each part.
class QueueLaunch final : public DecidingLaunch {
 public:
  // `times`: null where nobody wants them.
  QueueLaunch(QueueDriver& queue, std::shared_ptr<JoinedTimes> times)
      : DecidingLaunch(times ? Mode::split : Mode::plain),
        queue_(&queue),
        times_(std::move(times)) {}
  QueueLaunch(QueueLaunch&&) = default;

  // Most decisions are small: some of what needs no walk, since nothing has to be waited for or be
  // remembered. Returns what comes next, which may be no part.
  static Place give_first_parts(GraphExecState& exec, QueueDriver& queue);

  // From here on. `alone`: parts are run by the thread that walks, and the queue only knows how to
  // load conditions.
  void continue_on(QueueDriver& queue, bool alone) {
    queue_ = &queue;
    alone_ = alone;
    is_continued_ = true;
  }
  // The rest of it, by a thread that runs it in order: what was given is done when it returns, also
  // by an error. Throws the first.
  void finish_on_thread();
  // After an error: it came of asking, which changes nothing, so the walk may go on.
  bool failed_asking() const noexcept { return is_asking_; }

 protected:
  void give(const LaunchedSteps& steps) override;
  std::shared_ptr<const Stops> give(DecidedLaunchable& on_device) override {
    return on_device.launch(*queue_);
  }
  std::uint32_t fetch(const BufferRange& condition) override;
  void decided(const Command&, std::string_view) override {}
  void begins(const Command&, DecisionKind, NodeId) override {}
  void begins(DecidedPart, std::uint64_t) override {}
  void has_number(std::uint64_t) override {}
  void ends() override {}

 private:
  QueueDriver* queue_;
  bool alone_ = false, is_continued_ = false, is_asking_ = false;
  std::shared_ptr<JoinedTimes> times_;
};

}  // namespace reel
