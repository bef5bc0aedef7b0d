// queue_record.hpp - what a recording keeps with a queue of the program, under the queue's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "layers/opencl/own_reads.hpp"
#include "layers/opencl/work.hpp"
#include "recording/command_log.hpp"
#include "recording/lanes.hpp"
#include "recording/messages.hpp"

namespace reel::layer {

class Recording;

// Bytes that the driver is reading for us. It tells when it is done, so that nothing of the
// program's is held longer than that.
struct Reading {
  struct ImagePart {
    ContentRole role;
    std::uint32_t command;
    std::uint64_t offset_bytes, size_bytes;
  };
  Recording* recording = nullptr;
  std::shared_ptr<std::atomic<std::uint32_t>> count;  // of its queue's
  std::vector<capture::ContentsMessage> contents;
  std::optional<capture::Block> image;  // a whole one, of which these parts are wanted
  std::uint32_t storage_id = 0;
  std::vector<ImagePart> parts;
  bool is_timed = false;
  std::vector<cl_mem> scratch;       // ours to release
  std::shared_ptr<const void> kept;  // what the driver reads into
  std::shared_ptr<OwnRead> read;     // that nobody may overwrite; null: nobody will
};

struct QueueRecord {
  struct Pending {
    std::uint32_t command, lane;
    cl_event event;                  // ours to release
    std::uint64_t begin_ns, end_ns;  // of the call
  };

  std::uint32_t capture = 0;
  cl_command_queue handle = nullptr;  // we hold a reference
  bool in_order = true, is_timed = false;
  std::shared_ptr<capture::CommandLog> log = std::make_shared<capture::CommandLog>();
  capture::Lanes lanes;
  // What commands that were not recorded came after: of a queue in order the next recorded command
  // does, too; of another, the next barrier, and what comes after that.
  std::vector<Point> carried, after_barrier;
  std::deque<Pending> pending;
  std::shared_ptr<std::atomic<std::uint32_t>> readings =
      std::make_shared<std::atomic<std::uint32_t>>(0);  // of bytes, under way
  std::uint32_t since_collected = 0;
  bool is_busy = false;  // a command is on its way: `work` is in use
  std::uint64_t tightest_ns = ~std::uint64_t{0}, next_clock_ns = 0;
  document::ClockRow clock{};
  std::vector<document::StampRow> stamps;  // reused
  Work work;                               // reused
  std::vector<std::uint32_t> after;        // reused
};

}  // namespace reel::layer
