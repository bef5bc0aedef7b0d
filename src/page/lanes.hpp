// lanes.hpp - commands of a stream spread so that they can be drawn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reel/trace.hpp"

namespace reel::page {

// By stream: its commands, in the order of the trace.
class StreamCommands {
 public:
  explicit StreamCommands(const Trace& trace);
  std::size_t size() const noexcept { return begins_.size() - 1; }
  std::span<const std::uint32_t> of(std::size_t stream) const {
    return std::span(commands_).subspan(begins_[stream], begins_[stream + 1] - begins_[stream]);
  }

 private:
  std::vector<std::uint32_t> begins_, commands_;
};

// By command: commands of one stream and lane don't overlap in time. Each is in the lowest lane
// that is free when it starts, so that a stream that overlaps nothing has one. What has no times is
// in lane 0; more than 65,536 at once share the last.
std::vector<std::uint16_t> find_lanes(const Trace& trace);

// How many commands of a stream were given and not yet done, from `time_ns` on. A launch whose
// nodes are there doesn't count beside them, nor does what has no end.
struct DepthPoint {
  std::uint64_t time_ns = 0;
  std::uint32_t stream = 0, commands = 0;
};
std::vector<DepthPoint> find_depth(const Trace& trace);  // by stream, then time

}  // namespace reel::page
