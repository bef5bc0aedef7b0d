#include "runtime/stream_state.hpp"

#include <pthread.h>

#include <unordered_set>

#include "base/fail.hpp"
#include "base/process/exit_watch.hpp"
#include "runtime/callback.hpp"
#include "runtime/check.hpp"
#include "runtime/device_state.hpp"
#include "runtime/event_state.hpp"
#include "runtime/graphs/capture_session.hpp"

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

// One load with every wait. Here and not in base/: the layer, which has that too, must load into
// programs that have no room left for variables of threads that are found so fast.
constinit thread_local bool is_watched __attribute__((tls_model("initial-exec"))) = false;
void watch_exit_once() {
  if (is_watched) [[likely]]
    return;
  watch_exit();
  is_watched = true;
}

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

void StreamState::run_aside(std::function<void()> function) {
  if (wants_barriers_) queue_->submit({Barrier{}});
  queue_->run_in_order(std::move(function), InOrder::nothing);
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
  watch_exit_once();
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

void StreamState::throw_later(std::exception_ptr error) {
  queue_->run_in_order([error = std::move(error)] { std::rethrow_exception(error); },
                       InOrder::nothing);
}

std::exception_ptr StreamState::wait_for_error() noexcept {
  try {
    wait_for_queue();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
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
  watch_exit_once();
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
