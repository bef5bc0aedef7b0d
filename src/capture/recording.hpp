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

#include "capture/buffer_ledger.hpp"
#include "capture/document_thread.hpp"
#include "capture/host_waits.hpp"
#include "capture/log_entries.hpp"
#include "capture/memory_budget.hpp"
#include "reel/capture.hpp"
#include "runtime/recorder.hpp"

namespace reel::capture {

class RecordedStream;

struct Selection {
  const void* device = nullptr;  // a DeviceState; null: any
  const void* stream = nullptr;  // a StreamState; null: any
  std::string scope;             // empty: any
};

class Recording final : public Recorder {
 public:
  // `number` tells captures of this process apart, from 1.
  Recording(std::uint32_t number, std::string path, std::unique_ptr<DocumentThread> document,
            const CaptureOptions& options);
  ~Recording() override;

  // After the recorder was removed: waits for the work, reads the checks, closes the document.
  CaptureReport finish();
  void region(TraceRegion::Kind kind, std::uint32_t number, std::string_view name,
              std::uint64_t begin_ns);

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
  // What goes wrong with the recording ends it, and nothing else.
  template <class F>
  void quietly(F&& function) noexcept {
    if (document_.is_lost()) return;
    try {
      function();
    } catch (const std::exception& error) {
      document_.lose(error);
    }
  }
  bool is_wanted(const StreamState& stream, Scope scope) const;
  RecordedStream& record_of(StreamState& stream);
  void note_device(DeviceState& device);
  void note_buffer(const BufferResource& buffer);
  void note_view(BufferResource& image);
  void note_kernel(KernelResource& kernel);
  void note_clock(DeviceState& device);
  void note(std::string kind, std::string text);
  void overhead(OverheadKind kind, std::uint64_t begin_ns, std::uint64_t bytes);

  // Marks what `work` uses; what must be read before it runs is added to `unknown`.
  void look_at(const Work& work, std::vector<Piece>& unknown);
  void leave_out(const Work& work);  // it runs unrecorded
  void before(StreamState& stream, RecordedStream& record, std::uint32_t id, const Work& work);
  void after(StreamState& stream, RecordedStream& record, std::uint32_t id, const Work& work);
  void append(StreamState& stream, RecordedStream& record, const Given& given,
              const Command& command);
  void append_launch(StreamState& stream, RecordedStream& record, const Given& given,
                     GraphExecState& exec);
  // Takes what the driver has by now; true when something got done since the last time.
  bool collect(StreamState& stream, RecordedStream& record);
  // Until all of the stream is done and collected; false when nothing gets done any more.
  bool wait_until_done(StreamState& stream, RecordedStream& record);
  void collect_launches(RecordedStream& record);
  void collect_contents(RecordedStream& record);

  // Contents. Pieces of a stream are read in its order, between its commands.
  void read_pieces(StreamState& stream, RecordedStream& record, ContentRole role,
                   std::uint32_t command, std::span<const Piece> pieces);
  void keep_written_bytes(std::uint32_t command, const Write& write);
  void read_final(DeviceState& device, std::span<const Piece> pieces);
  template <class WhileWaiting>
  std::optional<Block> take_memory(std::uint64_t size_bytes, WhileWaiting&& while_waiting);
  void read_freed_buffers();
  void finish_streams();
  bool stores(ContentRole role) const noexcept;
  void missing(const BufferResource& buffer, std::string_view why);

  const std::uint32_t number_;
  const Contents contents_;
  const Selection selection_;
  const std::string path_;
  std::shared_ptr<MemoryBudget> memory_;
  BufferLedger buffers_;
  HostWaits host_waits_;
  std::atomic<std::uint32_t> next_command_{0}, next_graph_{0};

  std::mutex mutex_;                                              // of what follows
  std::map<DeviceState*, std::shared_ptr<DeviceState>> devices_;  // kept open until the end
  std::vector<std::weak_ptr<StreamState>> streams_;
  struct Freed {
    std::shared_ptr<BufferResource> buffer;  // again: drivers hold on to what they read
    std::vector<Piece> written;
  };
  std::vector<Freed> freed_;  // not yet read
  std::atomic<std::uint64_t> freed_bytes_{0};

  std::unique_ptr<DocumentThread> owned_document_;
  DocumentThread& document_;
};

}  // namespace reel::capture
