// recording.hpp - the recorder: what the fronts tell becomes log entries, messages and contents.
//
// Made when a capture begins, finished when it ends. The hot way is submit(): number the command,
// look at its buffers, give it to the driver with a ticket for its stamps, append one entry to the
// stream's log. Rare things (first use of a buffer or kernel, contents) are messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/environment.hpp"
#include "recording/contents/mapped_memory.hpp"
#include "recording/recording_core.hpp"
#include "reel/capture.hpp"
#include "runtime/recorder.hpp"

namespace reel::capture {

class RecordedStream;

struct Selection {
  const void* device = nullptr;  // a DeviceState; null: any
  const void* stream = nullptr;  // a StreamState; null: any
  std::string scope;             // empty: any
};

class Recording final : public Recorder, public RecordingCore {
 public:
  Recording(std::uint32_t capture_number, std::string document_path,
            std::unique_ptr<DocumentThread> document, const CaptureOptions& options,
            std::optional<PassRange> passes);
  ~Recording() override;

  // From here on it records; what was being given when it became the recorder is not in it.
  void open();
  // What is given from now on is not in it. What was recorded is read in the order of `stream`,
  // which is among those recorded, and nobody waits for it.
  void cut_behind(StreamState& stream);
  bool is_work_done();
  // Ends it where it hasn't been cut, waits for the work and reads the checks. Still the recorder,
  // so that whoever overwrites results meanwhile is noticed.
  void settle();
  // The process exits and nobody knows what of a driver still works: settle() waits for nothing.
  static void hurry() noexcept;
  static bool is_hurried() noexcept;
  // After it was removed as the recorder: closes the document.
  CaptureReport close();

  void submit(StreamState& stream, const Command& command, std::uint64_t begin_ns) override;
  std::shared_ptr<StepTimes> launch(StreamState& stream, GraphExecState& exec, bool timed,
                                    std::uint64_t begin_ns) override;
  RecordedPoint point(StreamState& stream) override;
  void wait(StreamState& stream, const RecordedPoint& point) override;
  void waited(StreamState& stream) override;
  void host_waited(const RecordedPoint& point) override;
  void stream_ends(StreamState& stream) override;
  void allocated(BufferResource& buffer, std::uint64_t begin_ns) override;
  void freed(std::unique_ptr<BufferResource> buffer) override;
  void built(KernelResource& kernel, std::uint64_t begin_ns) override;
  void called(std::string_view name, std::uint64_t begin_ns) override;

 private:
  enum class Phase : std::uint8_t { opening, open, cut };
  using Locks = std::vector<std::unique_lock<std::mutex>>;

  bool is_wanted(const StreamState& stream, Scope scope) const;
  RecordedStream& record_of(StreamState& stream);
  // As it is known to the document; null where the capture was cut meanwhile.
  RecordedStream* introduce(StreamState& stream);
  // The last point of a stream that is in the capture.
  struct End {
    std::shared_ptr<StreamState> stream;
    std::shared_ptr<Signal> done;
  };
  // Ends recording, and leaves the locks of all streams that were recorded with the caller.
  void cut(Locks& locks);
  void note_device(DeviceState& device);
  void note_buffer(const BufferResource& buffer);
  void note_view(BufferResource& image);
  void note_kernel(KernelResource& kernel);
  void note_clock(DeviceState& device);

  // Marks what `work` uses; what must be read before it runs is added to `record.unknown`.
  void look_at(std::uint32_t id, const Work& work, RecordedStream& record);
  void leave_out(const StreamState& stream, const Work& work);  // it runs unrecorded
  // In place of a host call, one that notes when it is made; none for other work.
  std::optional<Command> telling(const StreamState& stream, std::uint32_t id,
                                 const Command& command) const;
  void before(StreamState& stream, RecordedStream& record, std::uint32_t id, const Work& work);
  void after(StreamState& stream, RecordedStream& record, std::uint32_t id, const Work& work);
  void append(StreamState& stream, RecordedStream& record, const Given& given,
              const Command& command);
  void append_launch(StreamState& stream, RecordedStream& record, const Given& given,
                     GraphExecState& exec);
  // Takes what the driver has by now; true when something got done since the last time.
  bool collect(StreamState& stream, RecordedStream& record);
  // Until all is done and collected, or nothing gets done any more; leaves what isn't in `ends`.
  // `locks` are of these streams, and are let go where it takes long, so that a program that must
  // get on itself can. Null where nobody else has the stream.
  void wait_until_done(std::vector<End>& ends, Locks* locks);
  void collect_launches(RecordedStream& record);
  void collect_contents(RecordedStream& record);
  static void close_group(RecordedStream& record);

  // Contents. Pieces of a stream are read in its order, between its commands.
  void read_pieces(StreamState& stream, RecordedStream& record, ContentRole role,
                   std::uint32_t command, std::span<const Piece> pieces,
                   std::span<const std::uint32_t> finals = {});
  void keep_written_bytes(std::uint32_t command, const Write& write);
  // Bytes of mapped buffers: what the host wrote to them since, and reads that tell what is there.
  void take_host_writes(std::uint32_t command, const BufferRange& range,
                        BufferLedger::Changes& changes);
  void expect_mapped(StreamState& stream, RecordedStream& record, std::span<const Piece> pieces);
  // Beside all streams. `finals`: which of the final checks the pieces are; empty: none are.
  void read_final(DeviceState& device, std::span<const Piece> pieces,
                  std::span<const std::uint32_t> finals = {});
  bool keep_waiting(QueueLog* queue) override;
  void read_freed_buffers();
  void read_final_checks();

  const Selection selection_;
  const std::optional<PassRange> passes_;
  MappedMemory mapped_;
  std::atomic<Phase> phase_{Phase::opening};

  std::mutex mutex_;                                              // of what follows
  std::map<DeviceState*, std::shared_ptr<DeviceState>> devices_;  // kept open until the end
  std::vector<std::weak_ptr<StreamState>> streams_;
  std::vector<End> ends_;  // since it was cut
  bool is_stuck_ = false;  // somebody kept a stream's lock, so that nothing is known of its end
  struct Freed {
    std::shared_ptr<BufferResource> buffer;  // again: drivers hold on to what they read
    std::vector<Piece> written;
  };
  std::vector<Freed> freed_;  // not yet read
  std::atomic<std::uint64_t> freed_bytes_{0};
};

}  // namespace reel::capture
