// recorded_stream.hpp - what a recording keeps with each stream, under that stream's lock.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "recording/contents/buffer_ledger.hpp"
#include "recording/contents/mapped_memory.hpp"
#include "recording/order/queue_log.hpp"
#include "recording/writing/messages.hpp"
#include "runtime/recorder.hpp"

namespace reel::capture {

// Times of a launch that the program and the recording both want.
class SharedStepTimes final : public StepTimes {
 public:
  explicit SharedStepTimes(std::unique_ptr<StepTimes> times) : times_(std::move(times)) {}
  std::vector<StepTime> collect() override {
    const std::lock_guard lock(mutex_);
    if (!collected_) collected_ = times_->collect();
    return *collected_;
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<StepTimes> times_;
  std::optional<std::vector<StepTime>> collected_;
};

class RecordedStream final : public StreamRecord, public QueueLog {
 public:
  // Contents being read, and the point in the stream where they are there.
  struct PendingContents {
    std::shared_ptr<Signal> done;
    std::vector<Reading> contents;
    std::uint64_t size_bytes = 0;
    MappedMemory::Target mapped = {};  // what else is being read
  };
  struct PendingLaunch {
    std::shared_ptr<Signal> done;
    std::shared_ptr<SharedStepTimes> times;
    std::uint32_t command;                // of the launch
    std::vector<std::uint32_t> commands;  // of each step; no_index where it was off
  };

  RecordedStream(StreamState& of, std::uint32_t in_capture, std::uint32_t id) : stream(of) {
    capture = in_capture;
    lanes.all.resize(1);
    lanes[0].stream = id;
  }
  std::uint32_t& last_command() { return lanes[0].last_command; }

  StreamState& stream;          // that it belongs to
  bool is_in_document = false;  // with its first command
  PendingContents group;        // that is being put together
  std::deque<PendingContents> contents;
  std::deque<PendingLaunch> launches;
  std::vector<TicketStamps> stamps;       // reused
  std::vector<Piece> unknown;             // reused
  BufferLedger::Changes changes;          // by looking at what is on its way
  std::unique_ptr<StreamRecord> earlier;  // of a capture that ended before all its contents came
};

}  // namespace reel::capture
