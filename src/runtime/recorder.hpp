// recorder.hpp - who is told what a program does, while that is being captured into a document.
//
// The one way from the runtime to capture. The fronts ask `RecorderUse recorder;` and, if there is
// one, give it the command in place of the driver; it gives the command to the driver itself, with
// what it adds around it. Not capturing costs one load and a branch.
//
// No function of a Recorder throws for reasons of its own; what the driver throws for the program's
// command passes through. Calls that name a stream come with that stream's lock held.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "graph/order/recorded_point.hpp"
#include "reel/command.hpp"
#include "runtime/driver.hpp"

namespace reel {

class DeviceState;
class EventState;
class GraphExecState;
class StreamState;

// What a recorder keeps with a stream.
class StreamRecord {
 public:
  virtual ~StreamRecord() = default;
};

class Recorder {
 public:
  virtual ~Recorder() = default;

  // Gives the command to `stream.submit`. The call that asked for it began at `begin_ns`. `ready`:
  // of such a dispatch, where it is known to the stream.
  virtual void submit(StreamState& stream, const Command& command, std::uint64_t begin_ns,
                      ReadyDispatch* ready) = 0;
  // The times where `timed`, shared with the recorder; otherwise null.
  virtual std::shared_ptr<StepTimes> launch(StreamState& stream, GraphExecState& exec, bool timed,
                                            std::uint64_t begin_ns) = 0;
  virtual RecordedPoint point(StreamState& stream) = 0;  // where the stream is now
  virtual void wait(StreamState& stream, const RecordedPoint& point) = 0;
  virtual void waited(StreamState& stream) = 0;  // all of the stream is done
  // The host has seen that everything up to there is done: what it gives from now on comes after,
  // on whatever stream. Without any lock.
  virtual void host_waited(const RecordedPoint& point) = 0;
  virtual void stream_ends(StreamState& stream) = 0;  // nobody has it any more; without its lock

  virtual void allocated(BufferResource& buffer, std::uint64_t begin_ns) = 0;
  // The last owner is gone. The recorder may keep the buffer for a while.
  virtual void freed(std::unique_ptr<BufferResource> buffer) = 0;
  virtual void built(KernelResource& kernel, std::uint64_t begin_ns) = 0;
  // A call that made no command. `name` lives as long as the process.
  virtual void called(std::string_view name, std::uint64_t begin_ns) = 0;
};

namespace detail {
// Hidden: asked with every command, and so not through the table of what others may replace.
[[gnu::visibility("hidden")]] extern std::atomic<Recorder*> active_recorder;
extern std::atomic<std::uint64_t> recorder_users;
}  // namespace detail

#ifndef REEL_WITHOUT_CAPTURE
// Perhaps not any more: who wants it takes a RecorderUse.
inline bool is_recorder_there() noexcept {
  return detail::active_recorder.load(std::memory_order_relaxed) != nullptr;
}

// The recorder of now, kept from going away.
class RecorderUse {
 public:
  RecorderUse() noexcept {
    if (is_recorder_there()) [[unlikely]]
      take();
  }
  ~RecorderUse() {
    if (recorder_) [[unlikely]]
      detail::recorder_users.fetch_sub(1, std::memory_order_release);
  }
  RecorderUse(const RecorderUse&) = delete;
  RecorderUse& operator=(const RecorderUse&) = delete;

  explicit operator bool() const noexcept { return recorder_ != nullptr; }
  Recorder* operator->() const noexcept { return recorder_; }

 private:
  void take() noexcept;
  Recorder* recorder_ = nullptr;
};
#else
// Nobody ever: only for bench/capture, which measures what asking costs.
constexpr bool is_recorder_there() noexcept { return false; }

class RecorderUse {
 public:
  RecorderUse() noexcept = default;
  RecorderUse(const RecorderUse&) = delete;
  RecorderUse& operator=(const RecorderUse&) = delete;

  explicit constexpr operator bool() const noexcept { return false; }
  Recorder* operator->() const noexcept { return nullptr; }
};
#endif

// Tells the recorder, where there is one and the point is in a capture.
inline void host_waited(const RecordedPoint& point) {
  if (point.capture == 0) [[likely]]
    return;
  if (const RecorderUse recorder; recorder) recorder->host_waited(point);
}
// At the end of the block it has, also where an error comes out: that comes when all is done.
class HostWaits {
 public:
  explicit HostWaits(const RecordedPoint& point) : point_(point) {}
  ~HostWaits() { host_waited(point_); }
  HostWaits(const HostWaits&) = delete;
  HostWaits& operator=(const HostWaits&) = delete;

 private:
  const RecordedPoint& point_;
};

// False when there is one already.
bool set_recorder(Recorder* recorder) noexcept;
// Takes it away and waits until nobody is inside it; false when somebody still is after
// `patience_ns`. Not from within a recorder, and with no stream's lock held.
bool remove_recorder(std::uint64_t patience_ns) noexcept;
// The same without waiting, for a child process whose other threads are gone.
void forget_recorder() noexcept;

// A call that makes no command, from here to the end of the block.
class RecordedCall {
 public:
  explicit RecordedCall(std::string_view name) noexcept : name_(name) {
    if (detail::active_recorder.load(std::memory_order_relaxed)) [[unlikely]]
      begin_ns_ = monotonic_ns();
  }
  ~RecordedCall() {
    if (begin_ns_) [[unlikely]]
      tell();
  }
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;

 private:
  void tell() const noexcept;
  std::string_view name_;
  std::uint64_t begin_ns_ = 0;
};

// --- passes ------------------------------------------------------------------------------------
//
// A pass is a direct session from begin() to its end, a recorded session from the moment its work
// is given, or a launch that belongs to neither. (Defined in capture/.)

class PassRecord {
 public:
  virtual ~PassRecord() = default;  // it has ended, if nobody said so before
  // No more commands of it come; the last went to `stream`. They may still be at work.
  virtual void given(StreamState& stream) noexcept = 0;
  virtual void ended() noexcept = 0;  // its work is done
};

enum class PassKind : std::uint8_t { direct, recorded, launch };

// The pass begins, prepared since `begin_ns`, and is captured if the environment asks for that.
// Null where nobody wants to know. Never throws. Without any lock.
std::shared_ptr<PassRecord> pass_begins(PassKind kind, const std::shared_ptr<DeviceState>& device,
                                        std::string_view name, std::uint64_t begin_ns) noexcept;

namespace detail {
extern std::atomic<bool> launches_are_passes;  // somebody counts them
extern std::atomic<bool> pass_is_unsettled;    // a capture is over but for work in flight
extern thread_local const PassRecord* giving_pass;
}  // namespace detail

// While it lives, what this thread gives belongs to `pass`; to whatever it did where that is null.
class GivingPass {
 public:
  explicit GivingPass(const PassRecord* pass) noexcept : before_(detail::giving_pass) {
    if (pass) detail::giving_pass = pass;
  }
  ~GivingPass() { detail::giving_pass = before_; }
  GivingPass(const GivingPass&) = delete;
  GivingPass& operator=(const GivingPass&) = delete;

 private:
  const PassRecord* const before_;
};

// Looks at the environment, if nobody has: launches count from then on.
void look_for_pass_wish() noexcept;
// A device was opened: what the environment asks for and never happens is said when the program
// ends.
void expect_passes() noexcept;

void settle_passes_now() noexcept;
// Closes the document of a pass whose work is done by now. Without any lock.
inline void settle_passes() noexcept {
  if (detail::pass_is_unsettled.load(std::memory_order_relaxed)) [[unlikely]]
    settle_passes_now();
}

}  // namespace reel
