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

#include "base/clock.hpp"
#include "reel/command.hpp"
#include "runtime/driver.hpp"

namespace reel {

class Device;
class EventState;
class GraphExecState;
class StreamState;

// What a recorder keeps with a stream.
class StreamRecord {
 public:
  virtual ~StreamRecord() = default;
};

// Where in a capture an event was recorded.
struct RecordedPoint {
  std::uint32_t capture = 0;  // 0: in none
  std::uint32_t command = 0;  // the last one before it
  std::uint32_t stream = 0;
};

class Recorder {
 public:
  virtual ~Recorder() = default;

  // Gives the command to `stream.submit`. The call that asked for it began at `begin_ns`.
  virtual void submit(StreamState& stream, const Command& command, std::uint64_t begin_ns) = 0;
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
extern std::atomic<Recorder*> active_recorder;
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

// False when there is one already.
bool set_recorder(Recorder* recorder) noexcept;
// Takes it away and waits until nobody is inside it. Not from within a recorder.
void remove_recorder() noexcept;
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

// A pass of a GraphExecutor begins; it ends with the result. Null where nobody wants to know.
// Captures it if the environment asks for that. Never throws. (Defined in capture/.)
std::shared_ptr<void> pass_begins(const Device& device) noexcept;

}  // namespace reel
