// stream_state.hpp - one stream, shared by every handle to it.
//
// A lock around the backend's queue, the capture it may be part of, the current scope, and the
// hazards among its commands where the device wants barriers.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/biased_mutex.hpp"
#include "graph/order/hazard_tracker.hpp"
#include "reel/stream.hpp"
#include "runtime/callback.hpp"
#include "runtime/driver.hpp"
#include "runtime/graphs/deciding_frames.hpp"
#include "runtime/known_dispatches.hpp"
#include "runtime/recorder.hpp"

namespace reel {

class CaptureSession;
class DeviceState;
class EventState;
class GraphExecState;
class JoinedTimes;

class StreamState : public std::enable_shared_from_this<StreamState> {
 public:
  StreamState(std::shared_ptr<DeviceState> owner, const StreamOptions& options);
  ~StreamState();
  static std::vector<std::shared_ptr<StreamState>> all();  // of the process, of whatever device

  // Checks the command, then records it into the capture or gives it to the device.
  // A command without a scope gets the stream's.
  void enqueue(Command&& command);
  void dispatch(const Kernel& kernel, const Launch& launch, std::span<const Argument> arguments);
  // The same in few steps, if it is plainly fine and nobody else wants to know of
  // it: no recorder, no capture. False otherwise, and nothing has happened.
  bool dispatch_quickly(const Kernel& kernel, const Launch& launch,
                        std::span<const Argument> arguments);
  void launch(GraphExecState& exec);
  std::shared_ptr<StepTimes> launch_timed(GraphExecState& exec);
  // Not while capturing; `operation` is for that error.
  std::shared_ptr<Signal> mark(Stamped stamped, std::string_view operation);

  void record(EventState& event);
  void wait(EventState& event);
  void flush();
  bool synchronize(std::string_view operation);  // false: there was nothing to wait for
  bool done();

  void wait_for_queue();                         // whatever the stream is being captured for
  std::exception_ptr wait_for_error() noexcept;  // the same; what it would throw
  RecordedPoint recorded_point();                // where it is in a capture into a document

  Scope enter(std::string_view name);  // returns the scope to leave to
  void leave_to(Scope scope);

  // From here on, hazards are judged and counted by the tracker that this returns, until it is
  // given back or another one is started. It lives until then.
  std::unique_ptr<HazardTracker> start_tracking();
  void stop_tracking(std::unique_ptr<HazardTracker> tracker);
  // The end of a session: gives the tracker back, hands all to the device, and waits.
  struct Finished {
    std::uint64_t given_ns;  // when the device had it all
    bool has_waited;         // as synchronize()
  };
  Finished finish(std::unique_ptr<HazardTracker>& tracker, std::string_view operation);
  bool barrier_between(HazardTracker& tracker, std::span<const BufferRange> reads,
                       std::span<const BufferRange> writes);

  std::shared_ptr<CaptureSession> capture() const;
  // A stream is in one capture at most: null when it is now in `session`, else the one it is in.
  std::shared_ptr<CaptureSession> begin_capture(const std::shared_ptr<CaptureSession>& session);
  void end_capture(const CaptureSession* session) noexcept;

  // --- for a recorder, with the lock held ------------------------------------------------------
  std::unique_lock<std::mutex> lock() const { return mutex_.lock_plainly(); }
  std::unique_lock<std::mutex> try_lock() const { return mutex_.try_lock_plainly(); }
  // To the device, with the barriers it needs.
  void submit(const Command& command);
  void submit_stamped(const Command& command, std::uint64_t ticket, ReadyDispatch* ready = nullptr);
  void launch_now(Executable& executable);
  std::unique_ptr<StepTimes> launch_timed_now(Executable& executable);
  void throw_later(std::exception_ptr error);  // where the next call waits
  // Between commands and unseen by them: reports count no more and no fewer barriers for it.
  void read_aside(const BufferRange& source, std::span<std::byte> target);
  // On a thread of the driver, of which it calls nothing.
  void run_aside(std::function<void()> function);
  std::shared_ptr<Signal> mark_aside() { return queue_->mark_aside(); }
  void wait_aside(const std::shared_ptr<Signal>& signal) { queue_->wait_for(signal); }
  void flush_aside() { queue_->flush(); }
  void fetch_aside(const BufferRange& source, std::span<std::byte> target) {
    queue_->fetch(source, target);
  }
  void stamp_runs_only() { queue_->stamp_runs_only(); }
  void collect_stamps(StampList& into) { queue_->collect_stamps(into); }
  std::unique_ptr<StreamRecord> recorded;  // the recorder's own

  const std::shared_ptr<DeviceState> device;
  const StreamId id;
  const std::string label;

 private:
  // Whether one that is recorded goes the short way, too: under the stream's own scope.
  enum class IfRecorded : bool { no, yes };
  template <IfRecorded if_recorded>
  bool try_quickly(const Kernel& kernel, const Launch& launch, std::span<const Argument> arguments);
  [[gnu::noinline]] bool give_after_waiting(const KernelResource& kernel, const Launch& launch,
                                            std::span<const Argument> arguments);
  [[gnu::noinline]] void dispatch_slowly(const Kernel& kernel, const Launch& launch,
                                         std::span<const Argument> arguments);
  [[gnu::noinline]] void enqueue_recorded(Command& command);
  // `begin_ns`: when the call began, where that isn't now. 0: it is.
  [[gnu::noinline]] void launch_as_pass(GraphExecState& exec, std::uint64_t begin_ns);
  // A recorded launch that decides, and so waits with the lock held: see deciding_. What it and the
  // work before it failed with is for the next call that waits, as it is where nothing is recorded.
  [[gnu::noinline]] void launch_recorded(std::string_view operation,
                                         const std::function<void(std::uint64_t begin_ns)>& launch);
  void wait_before_deciding(std::string_view operation, std::optional<Error>& failure);
  void refuse_in_callback() const {
    if (Callback::current()) [[unlikely]]
      refuse_in_callback_slowly();
  }
  void refuse_in_callback_slowly() const;
  void launch_any(GraphExecState& exec, std::uint64_t begin_ns);
  void launch_once(GraphExecState& exec, std::uint64_t begin_ns);
  std::shared_ptr<StepTimes> launch_timed_any(GraphExecState& exec, std::uint64_t begin_ns);
  std::shared_ptr<StepTimes> launch_timed_once(GraphExecState& exec, std::uint64_t begin_ns);
  void wait_until(const RecordedPoint& point);
  // With mutex_ held:
  RecordedPoint flush_to_point();  // the last one given
  template <IfRecorded if_recorded>
  bool give_quickly(const KernelResource& kernel, const Launch& launch,
                    std::span<const Argument> arguments);
  [[gnu::noinline]] bool give_recorded(const KernelResource& kernel, const Launch& launch,
                                       std::span<const Argument> arguments);
  [[gnu::noinline]] void submit_recorded(const Command& command, std::uint64_t begin_ns);
  bool enter_capture(Command& command);  // gives it the stream's scope; true when it was captured
  void send_barrier_if(bool conflict);
  // Sends the barrier that the work needs; false when that was all, because it is one.
  bool send_barrier(const Work& work);
  void refuse_during_capture(std::string_view operation) {
    if (capture_) [[unlikely]]
      refuse_captured(operation);
  }
  void refuse_captured(std::string_view operation);
  void take_back(std::unique_ptr<HazardTracker> tracker);
  // Walks as far as nothing has to be waited for; a thread of the queue does the rest.
  void decide_now(GraphExecState& exec, std::shared_ptr<JoinedTimes> times);

  mutable BiasedMutex mutex_;
  // Recorded launches that decide, and so wait with the lock held: host calls of the launch that
  // use the stream would wait for themselves, and are refused.
  std::atomic<std::uint32_t> deciding_{0};
  // What a thread of queue_ gives, while it walks through launches that decide. Made when needed.
  std::shared_ptr<QueueDriver> decided_;
  DecidingFrames spare_frames_;  // memory for the walk of the next one
  std::unique_ptr<QueueDriver> queue_;
  KnownDispatches known_;
  std::shared_ptr<CaptureSession> capture_;
  Scope scope_;
  const bool wants_barriers_;
  const std::unique_ptr<HazardTracker> own_tracker_;  // where it wants barriers
  HazardTracker* tracker_;                            // null where nobody needs to know
  std::unique_ptr<HazardTracker> spare_tracker_;      // with its memory, for the next session
  bool fence_pending_ = false;                        // what came before is unknown to tracker_
};

StreamState& state_of(const Stream& stream, std::string_view operation);

}  // namespace reel
