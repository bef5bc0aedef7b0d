// queue_record.hpp - what a recording keeps with a queue of the program, under the queue's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "layers/opencl/recording/own_reads.hpp"
#include "layers/opencl/work.hpp"
#include "recording/call_recording.hpp"

namespace reel::layer {

class Recording;

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
