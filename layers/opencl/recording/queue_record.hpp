// queue_record.hpp - what a recording keeps with a queue of the program, under the queue's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "layers/opencl/recording/own_reads.hpp"
#include "layers/opencl/work.hpp"
#include "recording/call_recording.hpp"

namespace reel::layer {

class Recording;

// Results that are read before a command overwrites them. The program puts the command after those
// that left them; where the driver refuses it, nothing was put in order, and what was read counts
// for nothing. Any thread.
class Trial {
 public:
  // True: the bytes count. Else they are dropped, or kept until the driver has answered.
  bool admits(capture::Reading& arrived) {
    const std::lock_guard lock(mutex_);
    if (state_ == State::open) kept_.push_back(std::move(arrived));
    return state_ == State::taken;
  }
  // Returns what came before the answer and counts.
  std::vector<capture::Reading> answered(bool is_taken) {
    const std::lock_guard lock(mutex_);
    state_ = is_taken ? State::taken : State::refused;
    std::vector<capture::Reading> kept = std::move(kept_);
    if (!is_taken) kept.clear();
    return kept;
  }

 private:
  enum class State : std::uint8_t { open, taken, refused };
  std::mutex mutex_;
  State state_ = State::open;
  std::vector<capture::Reading> kept_;
};

// Bytes that the driver is reading for us. It tells when it is done, so that nothing of the
// program's is held longer than that.
struct DriverReading {
  Recording* recording = nullptr;
  std::shared_ptr<std::atomic<std::uint32_t>> count;  // of its queue's
  std::optional<capture::Reading> contents;           // for the document
  bool is_timed = false;
  std::vector<HeldMemory> scratch;   // that the driver reads by way of
  std::shared_ptr<const void> kept;  // what the driver reads into
  std::shared_ptr<OwnRead> read;     // that nobody may overwrite; null: nobody will
  std::shared_ptr<Trial> trial;      // null: the bytes count whatever comes next
};

struct QueueRecord : capture::QueueLog {
  struct Pending {
    std::uint32_t command, lane;
    HeldEvent event;
    std::uint64_t begin_ns, end_ns;  // of the call
  };

  cl_command_queue handle = nullptr;  // we hold a reference
  cl_device_id device = nullptr;
  bool is_timed = false;
  std::deque<Pending> pending;
  std::shared_ptr<std::atomic<std::uint32_t>> readings =
      std::make_shared<std::atomic<std::uint32_t>>(0);  // of bytes, under way
  bool is_busy = false;                                 // a command is on its way: `work` is in use
  capture::CallClock clock;
  std::vector<document::StampRow> stamps;  // reused
  Work work;                               // reused
};

}  // namespace reel::layer
