// call_recording.hpp - the recording of a program that calls an API other than ours.
//
// In: calls as CallWork, and what the program has waited for, mapped and let go of. Out: rows, log
// entries and contents, by way of RecordingCore. Its memory is the program's: the host may change
// what it sees without a call, and take it back. A layer derives from it and says what its driver
// can be asked.
//
// Any thread; what takes a QueueLog with that queue's lock held. Nothing public throws.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "recording/call_work.hpp"
#include "recording/contents/shared_writes.hpp"
#include "recording/recording_core.hpp"

namespace reel::capture {

// How the clocks of host and device stand. The call that gave a command, on the host's clock, holds
// the moment that the driver stamped it queued: the shortest call of each second tells best.
struct CallClock {
  std::uint64_t tightest_ns = ~std::uint64_t{0}, next_ns = 0;
  document::ClockRow row{};

  void look_at(std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t queued_ns) noexcept {
    if (end_ns - begin_ns >= tightest_ns) return;
    tightest_ns = end_ns - begin_ns;
    row = {0, begin_ns + tightest_ns / 2, queued_ns, (tightest_ns + 1) / 2};
  }
  bool is_due() const noexcept { return row.device_ns != 0 && row.host_ns >= next_ns; }
};

class CallRecording : public RecordingCore {
 public:
  // The host has these bytes to write to, until it gives them back. What a device wrote there is
  // checked by now; `discarding`: nobody knows what is there.
  void host_has(std::span<const Range> ranges, bool discarding) noexcept;
  // The program did something to these bytes that nobody saw.
  void forget(std::span<const Range> ranges) noexcept;
  // What a blocking read found, in the order of its ranges; the queue's lock is not needed.
  void found(std::uint32_t command, std::span<const WorkArgument> ranges,
             ByteSource& bytes) noexcept;
  bool is_device_written(std::span<const WorkArgument> ranges) noexcept;
  // The host has seen it done: it has waited for it; or it asked for the status, or was called
  // back.
  void host_waited(std::uint32_t stream, std::uint32_t command) noexcept;
  void host_saw(std::uint32_t stream, std::uint32_t command) noexcept;
  void allocated(TrackedBuffer& buffer) noexcept;
  // What the host wrote through a map is recorded.
  void unmapped(const TrackedBuffer& buffer, std::span<const Range> ranges) noexcept;
  // Of what a map for writing has just given to the host, which has not seen it yet.
  std::shared_ptr<const PageHashes> hashes_of_mapped(TrackedBuffer& buffer, const Range& range,
                                                     const void* pointer) noexcept;

 protected:
  using RecordingCore::RecordingCore;

  // The number of the device that stands for what may use it; its row is there.
  virtual std::uint32_t device_of(const TrackedBuffer& buffer) = 0;
  // A kernel that has no identity yet, or no row.
  virtual void note_kernel(TrackedKernel& kernel, QueueLog& queue) = 0;

  void note_buffer(TrackedBuffer& buffer);
  void note_clock(CallClock& clock, std::uint32_t device);  // that is due

  // --- one command -------------------------------------------------------------------------------

  // A command, or a launch with its nodes, which have the numbers that follow its own.
  struct Call {
    std::uint32_t id, lane;
    const CallWork* work;
    std::span<const BufferedWork> nodes;
    std::uint32_t graph;  // of a launch
    const void* scope;
    std::uint64_t begin_ns, end_ns;
  };
  // Marks what it uses; returns what must be read before it runs.
  std::vector<Piece> look_at(QueueLog& queue, const Call& call);
  // The driver has it: into the log.
  void taken(QueueLog& queue, const Call& call);
  // It has not, and why.
  void refused(QueueLog& queue, const Call& call, std::string_view why);
  // A command is not recorded: what it writes is not known.
  void leave_out(const CallWork& work);
  // What a command ended with, instead of being done. Nobody knows what it wrote before it failed,
  // nor which commands went on with that: whatever devices have written is unknown from here on, so
  // that later commands get it as inputs.
  void failed(std::uint32_t command, std::string_view status);

  // --- contents ----------------------------------------------------------------------------------

  // Bytes of the host's, in the order of the ranges.
  void push_ranges(ContentRole role, std::uint32_t command, std::span<const WorkArgument> ranges,
                   ByteSource& bytes);
  void take_host_writes(std::uint32_t command, TrackedBuffer& buffer);
  // Results in memory that the host sees; returns how many bytes.
  std::uint64_t check_shared(const Piece& piece, std::uint32_t command);
  // What devices wrote and nothing overwrote, once all is done. read(piece, command) reads results
  // that the host doesn't see and returns how many bytes. is_still_ours(): nothing was given that
  // isn't recorded, so that what is in memory are results.
  void read_final(const std::function<bool()>& is_still_ours,
                  const std::function<std::uint64_t(const Piece&, std::uint32_t)>& read);

  HostPages host_pages_;
  SharedWrites shared_writes_;

 private:
  void look_at(QueueLog& queue, const Point& command, const CallWork& work,
               std::vector<Piece>& unknown);
  static bool is_again(const QueueLog& queue, const Call& call, const CallWork& work,
                       std::string_view label);
  void append(QueueLog& queue, const Call& call, const CallWork& work, const Given& given,
              bool is_refused);
  void append_all(QueueLog& queue, const Call& call, bool is_refused);
  void wrote(const CallWork& work, const Point& command);
  void saw_done(std::uint32_t stream, std::uint32_t command);

  std::mutex clock_mutex_;
  std::map<std::uint32_t, document::ClockRow> clocks_;  // by device: the last that was written
};

// Memory of the program, which may be gone: read in a way that survives that. False: it is.
bool copy_if_there(const std::byte* from, std::span<std::byte> to);

}  // namespace reel::capture
