#include "runtime/stream_state.hpp"

#include <pthread.h>

#include <chrono>
#include <optional>
#include <unordered_set>

#include "base/fail.hpp"
#include "base/process/exit_watch.hpp"
#include "runtime/callback.hpp"
#include "runtime/check.hpp"
#include "runtime/device_state.hpp"
#include "runtime/event_state.hpp"
#include "runtime/graphs/capture_session.hpp"
#include "runtime/graphs/deciding_launch.hpp"
#include "runtime/graphs/graph_exec_state.hpp"

namespace reel {

namespace {

StreamId next_stream_id() {
  static std::atomic<std::uint32_t> next{0};
  return StreamId{next.fetch_add(1, std::memory_order_relaxed)};
}

// Those that live, for whoever must reach them all. There until the process is gone.
struct Register {
  std::mutex mutex;
  std::unordered_set<StreamState*> streams;
};
// A forked child begins with none: whoever had the lock is not in it, and neither are the streams.
Register*& the_pointer() {
  static Register* only = [] {
    pthread_atfork(nullptr, nullptr, [] { the_pointer() = new Register; });
    return new Register;
  }();
  return only;
}
Register& the_register() { return *the_pointer(); }

}  // namespace

StreamState::StreamState(std::shared_ptr<DeviceState> owner, const StreamOptions& options)
    : device(std::move(owner)),
      id(next_stream_id()),
      label(options.label.empty() ? fmt::format("s{}", static_cast<std::uint32_t>(id))
                                  : std::string(options.label)),
      queue_(device->driver().open_queue(label, options.priority)),
      wants_barriers_(device->info().wants_barriers),
      own_tracker_(wants_barriers_ ? std::make_unique<HazardTracker>() : nullptr),
      tracker_(own_tracker_.get()) {
  Register& all = the_register();
  const std::lock_guard lock(all.mutex);
  all.streams.insert(this);
}

StreamState::~StreamState() {
  {
    Register& all = the_register();
    const std::lock_guard lock(all.mutex);
    all.streams.erase(this);
  }
  if (device->is_inherited()) {
    static_cast<void>(queue_.release());
    static_cast<void>(new std::shared_ptr<QueueDriver>(std::move(decided_)));
    return;
  }
  const RecorderUse recorder;
  if (recorder && recorded) recorder->stream_ends(*this);
}

std::vector<std::shared_ptr<StreamState>> StreamState::all() {
  std::vector<std::shared_ptr<StreamState>> streams;
  Register& all = the_register();
  const std::lock_guard lock(all.mutex);
  for (StreamState* stream : all.streams)
    if (auto live = stream->weak_from_this().lock()) streams.push_back(std::move(live));
  return streams;
}

// Being recorded has a way of its own, so that not being recorded keeps nothing of it in hand:
// it costs a dispatch 5 instructions of 564, where it took 19 of 587.
void StreamState::enqueue(Command&& command) {
  device->refuse_inherited();
  refuse_in_callback();
  if (is_recorder_there()) [[unlikely]] {
    enqueue_recorded(command);
    return;
  }
  check(command, *device);
  const BiasedLock lock(mutex_);
  if (enter_capture(command)) return;
  if (is_recorder_there()) [[unlikely]]  // it came just now
    submit_recorded(command, monotonic_ns());
  else
    submit(command);
}

void StreamState::enqueue_recorded(Command& command) {
  const std::uint64_t begin_ns = monotonic_ns();
  check(command, *device);
  const BiasedLock lock(mutex_);
  if (!enter_capture(command)) submit_recorded(command, begin_ns);
}

// Whether there is a recorder is asked with the lock held: once it has had every stream's lock, no
// command goes past it.
void StreamState::submit_recorded(const Command& command, std::uint64_t begin_ns) {
  if (const RecorderUse recorder; recorder)
    recorder->submit(*this, command, begin_ns, nullptr);
  else
    submit(command);
}

bool StreamState::enter_capture(Command& command) {
  if (command.scope == Scope()) command.scope = scope_;
  if (capture_) capture_->record(*this, command);
  return capture_ != nullptr;
}

void StreamState::submit(const Command& command) {
  if (!tracker_ || send_barrier(command.work)) queue_->submit(command);
}

void StreamState::submit_stamped(const Command& command, std::uint64_t ticket,
                                 ReadyDispatch* ready) {
  if (tracker_ && !send_barrier(command.work)) return;
  if (ready)
    ready->give_stamped(command, ticket);
  else
    queue_->submit_stamped(command, ticket);
}

bool StreamState::send_barrier(const Work& work) {
  send_barrier_if(tracker_->needs_barrier(work));
  return !(wants_barriers_ && std::holds_alternative<Barrier>(work));
}

void StreamState::read_aside(const BufferRange& source, std::span<std::byte> target) {
  if (wants_barriers_) queue_->submit({Barrier{}});
  queue_->submit({Read{source, target}});
  if (wants_barriers_) queue_->submit({Barrier{}});
}

void StreamState::refuse_in_callback_slowly() const {
  refuse_in_kernel(device->info());
  const CallbackFrame* callback = Callback::of(device->info());
  if (callback && deciding_.load() != 0)
    fail(Code::unsupported,
         "Host call '{}' uses stream '{}', where a graph that decides is being launched, and would "
         "wait for itself; give it another stream, or the work to the graph.",
         callback->label(), label);
}

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
    queue_->run_in_order([error = *failure] { throw error; }, InOrder::nothing);
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

namespace {

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

}  // namespace

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
  } catch (const DecisionError& error) {  // comes out where that of a later step would
    queue_->run_in_order([error] { throw error; }, InOrder::nothing);
    // That of a launch before may be what asking has met; this one goes on.
    if (!walk.failed_asking()) return;
  } catch (const Error& error) {
    if (!walk.failed_asking()) throw;
    // Of work before the launch, which asking has met: it is for whoever waits.
    queue_->run_in_order([error] { throw error; }, InOrder::nothing);
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

std::shared_ptr<Signal> StreamState::mark(Stamped stamped, std::string_view operation) {
  device->refuse_inherited();
  refuse_in_callback();
  const BiasedLock lock(mutex_);
  refuse_during_capture(operation);
  return queue_->mark(stamped);
}

void StreamState::record(EventState& event) {
  if (event.device != device)
    fail(Code::invalid_argument,
         "Stream '{}' of device {} can't record event '{}', which belongs to device {}.", label,
         device->info().id, event.label, event.device->info().id);
  device->refuse_inherited();
  refuse_in_callback();
  const BiasedLock lock(mutex_);
  if (capture_) {
    event.set(CapturePoint{capture_, capture_->frontier(*this)});
    return;
  }
  const RecorderUse recorder;
  const RecordedPoint recorded_point = recorder ? recorder->point(*this) : RecordedPoint{};
  event.set(queue_->mark(Stamped::yes), recorded_point);
}

void StreamState::wait(EventState& event) {
  device->refuse_inherited();
  refuse_in_callback();
  const EventState::Point point = event.point();
  const BiasedLock lock(mutex_);
  if (const auto* captured = std::get_if<CapturePoint>(&point)) {
    if (captured->session->has_ended()) {
      Error error(Code::captured_event,
                  fmt::format("wait() of stream '{}' on event '{}': the event was recorded in a "
                              "capture that has ended; record it again first.",
                              label, event.label));
      if (capture_) capture_->invalidate(error);
      throw error;
    }
    if (event.device != device) {
      Error error(Code::capture_unsupported,
                  fmt::format("wait() would make stream '{}' of device {} part of a capture on "
                              "device {}; a graph belongs to one device.",
                              label, device->info().id, event.device->info().id));
      if (capture_) capture_->invalidate_quietly(error);
      captured->session->invalidate(error);
    }
    if (capture_ && capture_ != captured->session) {
      Error error(
          Code::capture_merge,
          fmt::format("wait() on event '{}' would merge the capture of stream '{}' into the "
                      "capture that stream '{}' is part of; end one before they meet.",
                      event.label, captured->session->origin_label(), label));
      if (captured->session->is_active()) captured->session->invalidate_quietly(error);
      capture_->invalidate(error);
    }
    captured->session->join(*this, captured->nodes);
    capture_ = captured->session;
    return;
  }
  const auto* signal = std::get_if<std::shared_ptr<Signal>>(&point);
  if (!signal) return;  // never recorded
  if (capture_)
    capture_->invalidate(Error(
        Code::capture_isolation,
        fmt::format("wait() of stream '{}' on event '{}' would make the capture depend on work "
                    "outside it; record the event inside the capture, or wait before it begins.",
                    label, event.label)));
  if (const RecorderUse recorder; recorder) recorder->wait(*this, event.recorded());
  if (event.device == device) {
    queue_->wait_for(*signal);
  } else {
    refuse_wait_in_callback(event.device->info(), "Stream::wait() on an event of another device");
    // Two drivers share no semaphore. What the event waits for has been submitted, so waiting
    // here can't hang.
    (*signal)->wait();
  }
}

void StreamState::flush() {
  device->refuse_inherited();
  refuse_in_callback();
  const BiasedLock lock(mutex_);
  if (!capture_) queue_->flush();
}

bool StreamState::synchronize(std::string_view operation) {
  watch_exit();
  device->refuse_inherited();
  refuse_wait_in_callback(device->info(), operation);
  if (!is_recorder_there()) [[likely]] {  // nobody has to be told, also if one comes meanwhile
    {
      const BiasedLock lock(mutex_);
      refuse_during_capture(operation);
      queue_->flush_for_wait();
    }
    const bool has_waited = queue_->wait();
    settle_passes();
    return has_waited;
  }
  const RecordedCall call(operation);
  RecordedPoint point;
  {
    const BiasedLock lock(mutex_);
    refuse_during_capture(operation);
    point = flush_to_point();
  }
  wait_until(point);
  return true;
}

bool StreamState::done() {
  device->refuse_inherited();
  refuse_in_callback();
  const BiasedLock lock(mutex_);
  refuse_during_capture("done()");
  const bool is_idle = queue_->idle();
  if (const RecorderUse recorder; is_idle && recorder)
    recorder->host_waited(recorder->point(*this));
  return is_idle;
}

RecordedPoint StreamState::recorded_point() {
  const RecorderUse recorder;
  if (!recorder) [[likely]]
    return {};
  const BiasedLock lock(mutex_);
  return recorder->point(*this);
}

void StreamState::wait_for_queue() {
  RecordedPoint point;
  {
    const BiasedLock lock(mutex_);
    point = flush_to_point();
  }
  wait_until(point);
}

RecordedPoint StreamState::flush_to_point() {
  queue_->flush_for_wait();
  const RecorderUse recorder;
  return recorder ? recorder->point(*this) : RecordedPoint{};
}

void StreamState::wait_until(const RecordedPoint& point) {
  const auto waited = [&] {
    if (const RecorderUse recorder; recorder) {
      const BiasedLock lock(mutex_);
      recorder->waited(*this);
    }
    host_waited(point);
    settle_passes();
  };
  try {
    queue_->wait();
  } catch (...) {
    waited();  // an error comes when all is done
    throw;
  }
  waited();
}

void StreamState::refuse_captured(std::string_view operation) {
  capture_->invalidate(Error(
      Code::capture_unsupported,
      fmt::format("Stream '{}' is being captured, so {} can't wait on it; end the capture first.",
                  label, operation)));
}

Scope StreamState::enter(std::string_view name) {
  device->refuse_inherited();
  refuse_in_callback();
  const BiasedLock lock(mutex_);
  const Scope before = scope_;
  scope_ = scope_.child(name);
  return before;
}

void StreamState::leave_to(Scope scope) {
  const BiasedLock lock(mutex_);
  scope_ = scope;
}

std::unique_ptr<HazardTracker> StreamState::start_tracking() {
  device->refuse_inherited();
  const BiasedLock lock(mutex_);
  auto tracker = spare_tracker_ ? std::move(spare_tracker_) : std::make_unique<HazardTracker>();
  tracker_ = tracker.get();
  fence_pending_ = wants_barriers_;
  return tracker;
}

void StreamState::stop_tracking(std::unique_ptr<HazardTracker> tracker) {
  if (device->is_inherited()) {  // its lock may be held for good
    static_cast<void>(tracker.release());
    return;
  }
  const BiasedLock lock(mutex_);
  take_back(std::move(tracker));
}

void StreamState::take_back(std::unique_ptr<HazardTracker> tracker) {
  if (tracker_ == tracker.get()) {  // no other session began meanwhile
    tracker_ = own_tracker_.get();
    if (tracker_) tracker_->forget();
    fence_pending_ = wants_barriers_;
  }
  tracker->start_over();
  spare_tracker_ = std::move(tracker);
}

StreamState::Finished StreamState::finish(std::unique_ptr<HazardTracker>& tracker,
                                          std::string_view operation) {
  watch_exit();
  device->refuse_inherited();
  {
    const BiasedLock lock(mutex_);
    take_back(std::move(tracker));
    refuse_during_capture(operation);
    queue_->flush();
  }
  const std::uint64_t given_ns = monotonic_ns();
  if (is_recorder_there()) [[unlikely]]
    return {given_ns, synchronize(operation)};
  const bool has_waited = queue_->wait();
  settle_passes();
  return {given_ns, has_waited};
}

bool StreamState::barrier_between(HazardTracker& tracker, std::span<const BufferRange> reads,
                                  std::span<const BufferRange> writes) {
  const BiasedLock lock(mutex_);
  if (!tracker.between(reads, writes)) return false;
  if (wants_barriers_) queue_->submit({Barrier{}});
  return true;
}

std::shared_ptr<CaptureSession> StreamState::capture() const {
  const BiasedLock lock(mutex_);
  return capture_;
}

std::shared_ptr<CaptureSession> StreamState::begin_capture(
    const std::shared_ptr<CaptureSession>& session) {
  const BiasedLock lock(mutex_);
  if (capture_) return capture_;
  capture_ = session;
  return nullptr;
}

void StreamState::end_capture(const CaptureSession* session) noexcept {
  const BiasedLock lock(mutex_);
  if (capture_.get() == session) capture_ = nullptr;
}

}  // namespace reel
