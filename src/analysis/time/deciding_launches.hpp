// deciding_launches.hpp - launches of graphs that decide, which a recording gives in parts.
//
// Each is a region of the document; its commands are those that its thread gave meanwhile. While it
// is recorded, launch() returns when the last decision is taken, where it only gives the work
// otherwise. Holds indices into the trace, which must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

class DecidingLaunches {
 public:
  explicit DecidingLaunches(const Trace& trace);

  bool empty() const noexcept { return launches_.empty(); }
  // The launch that gave this command, a number from 0 on; none: no_index.
  std::uint32_t launch_of(std::uint32_t command) const;
  std::size_t count() const noexcept { return launches_.size(); }
  const TraceRegion& region(std::uint32_t launch) const {
    return trace_.regions()[launches_[launch].region];
  }
  // Its commands: the first, and one behind the last. Others may lie between them.
  std::pair<std::uint32_t, std::uint32_t> commands(std::uint32_t launch) const {
    return {launches_[launch].first, launches_[launch].end};
  }

  // Without a capture, no decision of it makes the device wait.
  bool waits_only_for_recording(std::uint32_t launch) const {
    return launches_[launch].is_in_parts;
  }
  bool asks_functions(std::uint32_t launch) const { return launches_[launch].asks_functions; }
  // It makes the device wait, but for no function of the program: for a question and its answer.
  bool waits_for_answers(std::uint32_t launch) const {
    return !waits_only_for_recording(launch) && !asks_functions(launch);
  }

  using Spans = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  // When threads were held up in launch() only because it was recorded: but for the call that gives
  // the first part, until that starts, which the program has, too.
  void add_recording(Spans& spans) const;

 private:
  struct Launch {
    std::uint32_t region;
    std::uint32_t first = no_index, end = 0;
    std::uint64_t started_ns = 0;  // of the first that has times
    bool is_in_parts = false, asks_functions = false;
  };

  const Trace& trace_;
  std::vector<Launch> launches_;                                 // by begin
  std::map<std::uint32_t, std::vector<std::uint32_t>> threads_;  // theirs, by begin
};

}  // namespace reel::analysis
