// api_adapter.hpp - what a recording asks of the driver of one API.
//
// Each API whose programs are captured has one, for the life of the process. It keeps nothing of a
// recording: queues, buffers and kernels of the program say which adapter is theirs, and one
// recording has those of several APIs. Its own types derive from TrackedQueue, TrackedBuffer,
// TrackedKernel and Ticket, and come back as these.
//
// Any thread; what takes a Ticket or a queue with the lock of that queue held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/columns/rows.hpp"
#include "recording/calls/held_handle.hpp"
#include "recording/order/queue_log.hpp"
#include "reel/command.hpp"

namespace reel::capture {

struct KernelIdentity;
struct ReadUnderWay;
struct Ticket;
struct TrackedBuffer;
struct TrackedKernel;
struct TrackedQueue;

// Where in the order of its queue a read stands.
struct ReadOrder {
  Ticket* ahead_of = nullptr;               // before this command: after all that it waits for
  std::span<void* const> completions = {};  // else: after these, and what the queue was given
};

// Commands that were given together, and the time within which they ran, on the device's clock.
struct TimedCommands {
  std::uint32_t first = 0, count = 0;  // `first` counts from the first that was given with them
  // It is one command, and nothing else ran meanwhile without a time of its own. Else nobody knows
  // what each took.
  bool is_alone = false;
  std::uint64_t begin_ns = 0, end_ns = 0;
};
struct SubmissionTimes {
  std::vector<TimedCommands> commands;
  std::uint64_t seen_ns = 0;  // when it was seen to be done, on the host's clock
};

// Reads bytes that no command under way writes, and waits for them. One thread.
class DirectReader {
 public:
  virtual ~DirectReader() = default;
  // The program may let go of the buffer at any moment: until the next hold() it is there. False:
  // it is gone.
  virtual bool hold(TrackedBuffer& buffer) = 0;
  // Returns the end of a sentence that says why they can't be read; empty: they are there.
  virtual std::string read(const BufferRange& range, std::span<std::byte> target) = 0;
};

class ApiAdapter : public DriverHandles {
 public:
  virtual std::string_view name() const noexcept = 0;  // as documents have it

  // --- what is done
  virtual std::string words(int status) const = 0;  // of the driver for a failure
  // When it was queued, submitted, started and ended, of one that is done; false: nobody knows.
  virtual bool stamps(void* completion, document::StampRow& row) noexcept = 0;
  // Of commands that were given together, `first` is the id of the first: what is known of when
  // they ran, once they are done.
  virtual void times(void* completion, std::uint32_t first, SubmissionTimes& times) noexcept = 0;
  // Those of a read are of the read alone, and not of what it was given with.
  virtual bool stamps_reads() const noexcept = 0;
  // Calls CallRecording::read_done(read, status) once it is done, from any thread, be it at once.
  // False: it can't tell, and the recording asks.
  virtual bool tell_when_done(void* completion, ReadUnderWay* read) noexcept = 0;
  // The recorded command that the program's own wait number `index` of this one is for; null: none.
  virtual const RecordedEvent* waited_for(const Ticket& ticket, std::uint32_t index) noexcept = 0;

  // --- bytes
  virtual bool may_use(const TrackedQueue& queue, const TrackedBuffer& buffer) const noexcept = 0;
  // All of it at once, however little is wanted.
  virtual bool is_read_whole(const TrackedBuffer& buffer) const noexcept = 0;
  // Gives the driver a read that stands in the order of `queue`. `done` stays empty where the
  // driver gives nothing to ask for; `scratch` is kept until it is done. Returns why it can't, as
  // DirectReader does.
  virtual std::string read(void* queue, const BufferRange& range, std::span<std::byte> target,
                           const ReadOrder& order, Completion& done,
                           std::shared_ptr<void>& scratch) = 0;
  virtual std::unique_ptr<DirectReader> open_reader() = 0;

  // --- what documents tell of things
  // One that stands for those that may use the buffer; null: nobody tells.
  virtual const void* device_of(const TrackedBuffer& buffer) = 0;
  virtual document::DeviceRow device_row(const void* device, std::uint32_t number) = 0;
  // Its clock now; none: stamps of its commands place it.
  virtual std::optional<std::uint64_t> now_ns(const void* device) noexcept = 0;
  virtual std::shared_ptr<KernelIdentity> identity_of(const TrackedKernel& kernel) = 0;
  virtual document::KernelRow kernel_row(TrackedKernel& kernel, const void* device,
                                         std::uint32_t device_number) = 0;

  // --- the process
  // A handle of the program; false: it is none of this API's.
  virtual bool label(const void* handle, std::string_view name) = 0;
  // Its locks are the child's to open, too.
  virtual void before_fork() noexcept = 0;
  virtual void after_fork() noexcept = 0;
};

}  // namespace reel::capture
