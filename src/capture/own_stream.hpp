// own_stream.hpp - a stream of the library as its recording sees it, kept with the stream.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "recording/streams/recorded_stream.hpp"
#include "runtime/stream_state.hpp"

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

class OwnStream final : public StreamRecord, public RecordedStream, public InOwnMemory {
 public:
  struct PendingLaunch {
    std::shared_ptr<Signal> done;
    std::shared_ptr<SharedStepTimes> times;
    std::uint32_t command;                // of the launch
    std::vector<std::uint32_t> commands;  // of each step; no_index where it was off
  };

  OwnStream(StreamState& of, std::uint32_t in_capture)
      : RecordedStream(in_capture, of.id, of.device.get(), of.label), stream(of) {}

  std::unique_lock<std::mutex> try_lock() const override { return stream.try_lock(); }
  void submit(const Command& command, std::uint32_t ticket, ReadyDispatch* ready) override {
    stream.submit_stamped(command, std::uint64_t{capture} << 32 | ticket, ready);
  }
  void read(const BufferRange& source, std::span<std::byte> target) override {
    stream.read_aside(source, target);
  }
  void run(std::function<void()> function) override { stream.run_aside(std::move(function)); }
  std::shared_ptr<Signal> mark() override { return stream.mark_aside(); }
  void wait_for(const std::shared_ptr<Signal>& mark) override { stream.wait_aside(mark); }
  void flush() override { stream.flush_aside(); }
  bool take_stamps() override;

  StreamState& stream;  // that it belongs to
  std::deque<PendingLaunch> launches;
  std::unique_ptr<StreamRecord> earlier;  // of a capture that ended before all its contents came

 private:
  void take_launch(const PendingLaunch& launch);
  // The queue may still have stamps of a capture that was lost, or that ended before its work did.
  bool is_mine(const TicketStamps& stamps) const noexcept { return stamps.ticket >> 32 == capture; }
  StampList stamps_;  // reused
};

}  // namespace reel::capture
