// stream_launch.cpp - launches of a stream: of graphs as they are, and of graphs that decide, which
// are walked through as their conditions say.
#include <chrono>
#include <optional>

#include "runtime/callback.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/capture_session.hpp"
#include "runtime/graphs/deciding_launch.hpp"
#include "runtime/graphs/graph_exec_state.hpp"
#include "runtime/stream_state.hpp"

namespace reel {
namespace {

class Deciding {
 public:
  explicit Deciding(std::atomic<std::uint32_t>& count) : count_(count) { count_.fetch_add(1); }
  ~Deciding() { count_.fetch_sub(1); }
  Deciding(const Deciding&) = delete;
  Deciding& operator=(const Deciding&) = delete;

 private:
  std::atomic<std::uint32_t>& count_;
};

// While it lives, the parts of a launch go to the device together.
class Gathered {
 public:
  explicit Gathered(QueueDriver& queue) : queue_(queue) { queue_.gather_launches(true); }
  Gathered(const Gathered&) = delete;
  Gathered& operator=(const Gathered&) = delete;
  ~Gathered() {
    try {
      queue_.gather_launches(false);
    } catch (...) {  // no memory: whoever waits hands over what is still there
    }
  }

 private:
  QueueDriver& queue_;
};

// There is a recorder, or a pass may begin a capture.
bool may_be_recorded() {
  return is_recorder_there() || detail::launches_are_passes.load(std::memory_order_relaxed);
}

}  // namespace

void StreamState::wait_before_deciding(std::string_view operation, std::optional<Error>& failure) {
  refuse_wait_in_callback(device->info(), operation);
  {
    const BiasedLock lock(mutex_);
    queue_->flush();
  }
  try {
    queue_->wait();
  } catch (const Error& error) {
    if (!failure) failure = error;
  }
}

// It waits twice: host calls given before may use the stream until they are done; one that another
// thread gave meanwhile, and that hasn't seen `deciding_`, is waited for without the lock, too.
void StreamState::launch_recorded(std::string_view operation,
                                  const std::function<void(std::uint64_t begin_ns)>& launch) {
  const std::uint64_t begin_ns = monotonic_ns();
  std::optional<Error> failure;
  const auto fail_later = [&] {
    if (!failure) return;
    // What came after it would otherwise be the first.
    std::optional<Error> later = failure;
    wait_before_deciding({}, later);
    const BiasedLock lock(mutex_);
    throw_later(std::make_exception_ptr(*failure));
  };
  wait_before_deciding(operation, failure);
  try {
    const Deciding deciding(deciding_);
    wait_before_deciding({}, failure);
    launch(begin_ns);
  } catch (const Error& error) {
    const bool is_for_whoever_waits = is_of_launched_work(error);
    if (is_for_whoever_waits && !failure) failure = error;
    fail_later();
    if (!is_for_whoever_waits) throw;
    return;
  }
  fail_later();
}

void StreamState::launch(GraphExecState& exec) {
  device->refuse_inherited();
  refuse_in_callback();
  if (exec.deciding() && may_be_recorded() && !capture()) [[unlikely]] {
    launch_recorded("A recorded GraphExec::launch() of a graph that decides",
                    [&](std::uint64_t begin_ns) { launch_any(exec, begin_ns); });
    return;
  }
  launch_any(exec, 0);
}

void StreamState::launch_any(GraphExecState& exec, std::uint64_t begin_ns) {
  if (detail::launches_are_passes.load(std::memory_order_relaxed)) [[unlikely]] {
    launch_as_pass(exec, begin_ns);
    return;
  }
  launch_once(exec, begin_ns);
}

void StreamState::launch_once(GraphExecState& exec, std::uint64_t begin_ns) {
  if (begin_ns == 0 && is_recorder_there()) [[unlikely]]
    begin_ns = monotonic_ns();
  const BiasedLock lock(mutex_);
  if (capture_) {
    capture_->record_child(*this, exec.graph_as_launched(), scope_);
    return;
  }
  const RecorderUse recorder;
  // A recorder that came just now has missed the launch: host calls in it may use the stream.
  const bool came_late = exec.deciding() && deciding_.load() == 0;
  if (recorder && !came_late) [[unlikely]]
    recorder->launch(*this, exec, false, begin_ns);
  else if (exec.deciding()) [[unlikely]]
    decide_now(exec, nullptr);
  else
    launch_now(exec.executable());
}

// What has to wait, or takes longer than a graph that runs on the caller may, is for a thread of
// the queue: loops may take any time.
void StreamState::decide_now(GraphExecState& exec, std::shared_ptr<JoinedTimes> times) {
  constexpr auto patience = std::chrono::microseconds(20);
  constexpr std::uint32_t steps_between_looks = 8;  // a look at the clock takes as long as a step
  if (tracker_) tracker_->forget();  // a launch is ordered against everything around it
  fence_pending_ = false;
  const Gathered gathered(*queue_);
  DecidingLaunch::Place first;
  if (!times) {
    exec.deciding()->prepare();
    first = QueueLaunch::give_first_parts(exec, *queue_);
    if (first.part == exec.deciding()->parts().size()) return;
  }
  QueueLaunch walk(*queue_, times);
  walk.begin(exec, first, spare_frames_);
  try {
    using Clock = std::chrono::steady_clock;
    Clock::time_point until = {};  // set by the first look
    for (std::uint32_t steps = 1; !walk.is_over(); ++steps) {
      const auto next = walk.next();
      if (next == QueueLaunch::Next::asks_function) break;
      if (next == QueueLaunch::Next::asks_condition && !queue_->idle()) break;
      if (steps % steps_between_looks == 0) {
        const auto now = Clock::now();
        if (until == Clock::time_point()) until = now + patience;
        if (now >= until) break;
      }
      walk.step();
    }
    if (walk.is_over()) return walk.give_back(spare_frames_);
  } catch (const DecisionError&) {  // comes out where that of a later step would
    throw_later(std::current_exception());
    // That of a launch before may be what asking has met; this one goes on.
    if (!walk.failed_asking()) return;
  } catch (const Error&) {
    if (!walk.failed_asking()) throw;
    // Of work before the launch, which asking has met: it is for whoever waits.
    throw_later(std::current_exception());
  }
  // From here on parameters may change, and the exec may go.
  const std::shared_ptr<GraphExecState> runner = exec.runner_for(id);
  if (!decided_) {
    decided_ = device->driver().open_queue(label);
    decided_->gather_launches(true);  // a walk ends with a wait
  }
  const bool alone = !times && runner->deciding()->is_alone();
  walk.move_to(*runner);
  walk.continue_on(*decided_, alone);
  auto rest = std::make_shared<QueueLaunch>(std::move(walk));
  queue_->run_in_order([rest, runner, queue = decided_] { rest->finish_on_thread(); },
                       alone                                  ? InOrder::nothing
                       : runner->deciding()->asks_functions() ? InOrder::anything
                                                              : InOrder::driver);
}

std::shared_ptr<StepTimes> StreamState::launch_timed(GraphExecState& exec) {
  device->refuse_inherited();
  refuse_in_callback();
  if (!exec.deciding() || !may_be_recorded() || capture()) [[likely]]
    return launch_timed_any(exec, 0);
  // Of a launch that failed, recording knows no times.
  std::shared_ptr<StepTimes> times = std::make_shared<JoinedTimes>();
  launch_recorded("A recorded GraphExec::launch_timed() of a graph that decides",
                  [&](std::uint64_t begin_ns) { times = launch_timed_any(exec, begin_ns); });
  return times;
}

std::shared_ptr<StepTimes> StreamState::launch_timed_any(GraphExecState& exec,
                                                         std::uint64_t begin_ns) {
  if (detail::launches_are_passes.load(std::memory_order_relaxed) && !capture()) [[unlikely]] {
    const auto pass = pass_begins(PassKind::launch, device, exec.launch_name, monotonic_ns());
    const GivingPass giving(pass.get());
    auto times = launch_timed_once(exec, begin_ns);
    if (pass) pass->given(*this);
    return times;
  }
  return launch_timed_once(exec, begin_ns);
}

std::shared_ptr<StepTimes> StreamState::launch_timed_once(GraphExecState& exec,
                                                          std::uint64_t begin_ns) {
  if (begin_ns == 0 && is_recorder_there()) begin_ns = monotonic_ns();
  const BiasedLock lock(mutex_);
  refuse_during_capture("launch_timed()");
  const RecorderUse recorder;
  if (recorder && (!exec.deciding() || deciding_.load() != 0))
    return recorder->launch(*this, exec, true, begin_ns);
  if (exec.deciding()) [[unlikely]] {
    auto times = std::make_shared<JoinedTimes>();
    decide_now(exec, times);
    return times;
  }
  return launch_timed_now(exec.executable());
}

// On a stream under capture it becomes a node, and no pass.
void StreamState::launch_as_pass(GraphExecState& exec, std::uint64_t begin_ns) {
  const auto pass =
      capture() ? nullptr : pass_begins(PassKind::launch, device, exec.launch_name, monotonic_ns());
  const GivingPass giving(pass.get());
  launch_once(exec, begin_ns);
  if (pass) pass->given(*this);
}

void StreamState::launch_now(Executable& executable) {
  executable.launch(*queue_);
  if (tracker_) tracker_->forget();  // a launch is ordered against everything around it
  fence_pending_ = false;
}

std::unique_ptr<StepTimes> StreamState::launch_timed_now(Executable& executable) {
  auto times = executable.launch_timed(*queue_);
  if (tracker_) tracker_->forget();
  fence_pending_ = false;
  return times;
}

}  // namespace reel
