// recording.hpp - the recorder of the library's own API: src/recording/streams told by the fronts.
//
// Made when a capture begins, finished when it ends. Here is what only this API has: which of its
// streams, scopes and passes are wanted, how its queues are given commands and asked for bytes and
// times, and what documents tell of its devices, buffers and kernels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "capture/environment.hpp"
#include "recording/streams/stream_recording.hpp"
#include "reel/capture.hpp"
#include "runtime/recorder.hpp"

namespace reel {
struct LaunchedSteps;
}

namespace reel::capture {

class OwnStream;

struct Selection {
  const void* device = nullptr;  // a DeviceState; null: any
  const void* stream = nullptr;  // a StreamState; null: any
  std::string scope;             // empty: any
};

class Recording final : public Recorder, public StreamRecording {
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
  // After it was removed as the recorder: closes the document.
  CaptureReport close();
  std::shared_ptr<EndingDocument> close_later();  // by the document's own thread; nobody waits

  void submit(StreamState& stream, const Command& command, std::uint64_t begin_ns,
              ReadyDispatch* ready) override;
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
  bool is_wanted(const StreamState& stream, Scope scope) const;
  bool is_wanted(const std::shared_ptr<DeviceState>& device) const noexcept;
  OwnStream* known(const StreamState& stream) const;  // null: this capture has nothing of it
  OwnStream& record_of(StreamState& stream);
  // As it is known to the document; null where the capture was cut meanwhile.
  OwnStream* record_in_document(StreamState& stream);
  // In place of a host call, one that notes when it is made; none for other work.
  std::optional<Command> telling(const StreamState& stream, std::uint32_t id,
                                 const Command& command) const;
  class DecidedLaunch;
  std::shared_ptr<StepTimes> launch(StreamState& stream, const LaunchedSteps& launched, bool timed,
                                    std::uint64_t begin_ns);
  void append_launch(OwnStream& record, const document::CommandRow& given,
                     const LaunchedSteps& launched);
  void note_end();
  void note_device(DeviceState& device);
  void note_clock(DeviceState& device);

  bool is_done(Signal& mark) const override;
  Reader open_reader(DeviceState& device) override;
  void describe(const BufferResource& buffer) override;
  void describe(KernelResource& kernel) override;

  const Selection selection_;
  const std::optional<PassRange> passes_;
  std::mutex mutex_;
  std::map<DeviceState*, std::shared_ptr<DeviceState>> devices_;  // kept open until the end
};

}  // namespace reel::capture
