// recorded_stream.hpp - what a StreamRecording keeps with a stream, and what it asks of the driver
// behind it.
//
// An adapter derives from it and has the driver. But for try_lock(), with the stream's lock held.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "recording/contents/buffer_ledger.hpp"
#include "recording/contents/mapped_memory.hpp"
#include "recording/order/queue_log.hpp"
#include "recording/streams/kept_dispatches.hpp"
#include "recording/streams/kept_works.hpp"
#include "recording/writing/messages.hpp"

namespace reel {
class DeviceState;
class Signal;         // a point in the order of a stream: handed on, never looked into
class ReadyDispatch;  // the driver's short way for a dispatch: the same
}  // namespace reel

namespace reel::capture {

class RecordedStream : public QueueLog {
 public:
  // Contents being read, and the point in the stream where they are there.
  struct PendingContents {
    std::shared_ptr<Signal> done;
    std::vector<Reading> contents;
    std::uint64_t size_bytes = 0;
    MappedMemory::Target mapped = {};  // what else is being read
  };

  RecordedStream(std::uint32_t in_capture, StreamId number, DeviceState* its_device,
                 const std::string& its_label)
      : id(number), device(its_device), label(its_label) {
    capture = in_capture;
    lanes.all.resize(1);
    lanes[0].stream = static_cast<std::uint32_t>(id);
  }
  virtual ~RecordedStream() = default;
  RecordedStream(const RecordedStream&) = delete;
  RecordedStream& operator=(const RecordedStream&) = delete;

  // --- asked of the driver -----------------------------------------------------------------------
  virtual std::unique_lock<std::mutex> try_lock() const = 0;
  // Its stamps are for `ticket`. Throws what the driver refuses. `ready`: of such a dispatch.
  virtual void submit(const Command& command, std::uint32_t ticket, ReadyDispatch* ready) = 0;
  virtual void read(const BufferRange& source, std::span<std::byte> target) = 0;  // in its order
  // The same of a function that calls nothing of the driver, and throws nothing.
  virtual void run(std::function<void()> function) = 0;
  virtual std::shared_ptr<Signal> mark() = 0;
  virtual void wait_for(const std::shared_ptr<Signal>& mark) = 0;  // of a stream of this device
  virtual void flush() = 0;
  // Stamps that have come go into the log; true when something got done.
  virtual bool take_stamps() = 0;

  bool has_contents_under_way() const noexcept {
    return !contents.empty() || !group.contents.empty();
  }
  std::uint32_t& last_command() { return lanes[0].last_command; }

  const StreamId id;
  DeviceState* const device;
  const std::string& label;     // the stream's own
  bool is_in_document = false;  // with its first command
  PendingContents group;        // that is being put together
  std::deque<PendingContents> contents;
  const std::shared_ptr<CopiedPages> copied_pages = std::make_shared<CopiedPages>();
  KeptWorks works;
  KeptDispatches dispatches;
  std::vector<Piece> unknown;     // reused
  BufferLedger::Changes changes;  // by looking at what is on its way
};

}  // namespace reel::capture
