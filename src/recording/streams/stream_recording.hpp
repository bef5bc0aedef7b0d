// stream_recording.hpp - the recording of commands that are values, given to streams in order.
//
// An adapter derives from it: it says which streams and devices there are and gives commands to
// their drivers. What of that goes into the document, which bytes are read when, and how a capture
// ends among threads that go on working, is here.
//
// The hot way is give(): number the command, look at its buffers, let the adapter give it to the
// driver, append one entry to the stream's log. Any thread; what names a stream with its lock held.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "recording/contents/mapped_memory.hpp"
#include "recording/recording_core.hpp"
#include "recording/streams/recorded_stream.hpp"
#include "recording/writing/call_meter.hpp"
#include "reel/command.hpp"

namespace reel::capture {

class StreamRecording : public RecordingCore {
 public:
  bool is_work_done();
  // Ends it where it hasn't been cut, waits for the work and reads the checks. Still the recorder,
  // so that whoever overwrites results meanwhile is noticed.
  void settle();
  // The process exits and nobody knows what of a driver still works: settle() waits for nothing.
  static void hurry() noexcept;
  static bool is_hurried() noexcept;

 protected:
  StreamRecording(std::uint32_t capture_number, std::string document_path,
                  std::unique_ptr<DocumentThread> document, Contents which);
  ~StreamRecording() override;

  // --- asked of the adapter ----------------------------------------------------------------------
  virtual bool is_done(Signal& mark) const = 0;
  // Reads bytes that no command under way writes, beside all streams, and waits for them.
  using Reader = std::function<void(const BufferRange&, std::span<std::byte>)>;
  virtual Reader open_reader(DeviceState& device) = 0;
  // Rows for the document, with that of its device where it has none.
  virtual void describe(const BufferResource& buffer) = 0;
  virtual void describe(KernelResource& kernel) = 0;

  // --- commands ----------------------------------------------------------------------------------
  bool is_open() const noexcept { return phase_.load(std::memory_order_relaxed) == Phase::open; }
  // From here on it records.
  void begin();
  // The stream gives its first command; false where the capture was cut meanwhile.
  bool introduce(const std::shared_ptr<RecordedStream>& stream, std::uint32_t device);

  // Commands that one call gives. each(visit): visit(id, work) of each of them, in order; append():
  // puts them into the log; drive(): gives them to the driver, and may throw.
  template <class Each, class Append, class Drive>
  void give(RecordedStream& stream, std::uint32_t first, std::uint32_t last, CallMeter& meter,
            Each&& each, Append&& append, Drive&& drive) {
    stream.changes.clear();
    quietly([&] { each([&](std::uint32_t id, const Work& work) { before(stream, id, work); }); });
    try {
      meter.driver_begins();
      drive();
      meter.driver_ends();
    } catch (const std::exception& error) {
      const std::string why = error.what();
      quietly([&] {
        append();
        note_refused(stream.changes, first, first, why);
      });
      throw;
    }
    quietly([&] {
      append();
      // What one of several wrote can be read only when all are done.
      each([&](std::uint32_t, const Work& work) { after(stream, last, work); });
      stream.last_command() = last;
      if ((stream.since_collected += last - first + 1) >= collect_every) collect(stream);
    });
  }
  // The same of one command, whose call began then; `given` is what the driver gets.
  struct OneCommand {
    std::uint32_t id;
    const Command &command, &given;
    ReadyDispatch* ready;
    std::uint64_t begin_ns;
  };
  void give(RecordedStream& stream, const OneCommand& one, CallMeter& meter);
  // Returns the place that its work is known by, if it was.
  std::uint32_t append(RecordedStream& stream, const document::CommandRow& given,
                       const Command& command);
  // The same of one that is `ready`.
  void append_ready(RecordedStream& stream, const document::CommandRow& given,
                    const Command& command);
  void leave_out(StreamId stream, const Work& work);  // it runs unrecorded
  // The stream has waited for all its commands.
  void stream_done(RecordedStream& stream);
  // Nobody has it any more, and so nobody its lock: waits for its work.
  void stream_ends(RecordedStream& stream);

  // --- buffers -----------------------------------------------------------------------------------
  void add_buffer(BufferResource& buffer);
  void remove_buffer(std::unique_ptr<BufferResource> buffer);
  // An image that is made on a buffer has no bytes of its own, so the ledger doesn't know it.
  void note_view(BufferResource& image) {
    once(image.known_in, [&] { describe(image); });
  }
  void note_kernel(KernelResource& kernel) {
    once(kernel.recorded_in, [&] { describe(kernel); });
  }

  // --- the end -----------------------------------------------------------------------------------
  // What is given from now on is not in it. What was recorded is read in the order of this stream,
  // which is among those recorded, and nobody waits for it.
  void cut_behind(StreamId stream);
  // try_lock() for as long as is sensible: somebody may be stuck in a driver with the lock.
  template <class F>
  static std::unique_lock<std::mutex> lock_patiently(F&& try_lock) {
    const auto begin = std::chrono::steady_clock::now();
    auto lock = try_lock();
    while (!lock && std::chrono::steady_clock::now() - begin < lock_patience()) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      lock = try_lock();
    }
    return lock;
  }
  void note_busy(std::uint32_t stream, std::string_view label, std::string_view what);

 private:
  // Stamps are fetched from the driver this often, so that neither it nor we keep many.
  static constexpr std::uint32_t collect_every = 512;

  enum class Phase : std::uint8_t { opening, open, cut };
  using Locks = std::vector<std::unique_lock<std::mutex>>;
  // The last point of a stream that is in the capture.
  struct End {
    std::shared_ptr<RecordedStream> stream;
    std::shared_ptr<Signal> done;
  };
  struct Freed {
    std::shared_ptr<BufferResource> buffer;  // again: drivers hold on to what they read
    std::vector<Piece> written;
  };

  // --- one command (stream_recording.cpp)
  // before() and after() would do nothing: true of most dispatches of a loop.
  bool is_settled(RecordedStream& stream, const Work& work) const noexcept;
  void before(RecordedStream& stream, std::uint32_t id, const Work& work);
  void after(RecordedStream& stream, std::uint32_t id, const Work& work);
  // Marks what `work` uses; what must be read before it runs is added to `stream.unknown`.
  void look_at(std::uint32_t id, const Work& work, RecordedStream& stream);

  // --- contents (stream_contents.cpp). Pieces of a stream are read in its order, between its
  // commands.
  std::shared_ptr<TakenPages> in_place(RecordedStream& stream, Reading& reading,
                                       const BufferResource& buffer);
  void read_pieces(RecordedStream& stream, ContentRole role, std::uint32_t command,
                   std::span<const Piece> pieces, std::span<const std::uint32_t> finals = {});
  void keep_written_bytes(std::uint32_t command, const Write& write);
  // Bytes of mapped buffers: what the host wrote to them since, and reads that tell what is there.
  void take_host_writes(std::uint32_t command, const BufferRange& range,
                        BufferLedger::Changes& changes);
  void expect_mapped(RecordedStream& stream, std::span<const Piece> pieces);
  static void close_group(RecordedStream& stream);
  void collect_contents(RecordedStream& stream);
  bool keep_waiting(QueueLog* queue) override;
  // Beside all streams. `finals`: which of the final checks the pieces are; empty: none are.
  void read_final(DeviceState& device, std::span<const Piece> pieces,
                  std::span<const std::uint32_t> finals = {});
  void read_freed_buffers();
  void read_final_checks();

  // --- the end (stream_end.cpp)
  static std::chrono::milliseconds lock_patience() noexcept;
  // Takes what the driver has by now; true when something got done since the last time.
  bool collect(RecordedStream& stream);
  // Ends recording, and leaves the locks of all streams that were recorded with the caller.
  void cut(Locks& locks);
  // Until all is done and collected, or nothing gets done any more; leaves what isn't in `ends`.
  // `locks` are of these streams, and are let go where it takes long, so that a program that must
  // get on itself can. Null where nobody else has the stream.
  void wait_until_done(std::vector<End>& ends, Locks* locks);

  MappedMemory mapped_;
  std::atomic<Phase> phase_{Phase::opening};
  std::atomic<std::uint64_t> freed_bytes_{0};

  std::mutex mutex_;  // of what follows
  std::vector<std::weak_ptr<RecordedStream>> streams_;
  std::vector<End> ends_;     // since it was cut
  bool is_stuck_ = false;     // somebody kept a stream's lock: nothing is known of its end
  std::vector<Freed> freed_;  // not yet read
};

}  // namespace reel::capture
