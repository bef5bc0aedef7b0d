// timed_runs.hpp - what ran when: commands with times of their own, and those that were only timed
// together, which count as one piece of work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/time/device_work.hpp"
#include "reel/trace.hpp"

namespace reel::analysis {

struct TimedRun {
  std::uint64_t started_ns = 0, ended_ns = 0;
  std::uint32_t first = no_index, last = no_index;  // commands; equal: it is one
};

// What an interval is made of. Barriers take no time.
struct IntervalWorks {
  std::uint32_t count = 0;  // that are work of a device
  bool are_copies = true;   // all of them: copies, fills, reads or writes
};

inline IntervalWorks works_of(const Trace& trace, const TraceInterval& interval) {
  IntervalWorks works;
  for (std::uint32_t c = interval.first; c < interval.first + interval.count; ++c) {
    const TraceWork& work = trace.work_of(trace.commands()[c]);
    const WorkKind kind = work.kind;
    if (!is_device_work(trace, work)) continue;
    ++works.count;
    works.are_copies = works.are_copies && kind != WorkKind::dispatch && kind != WorkKind::unknown;
  }
  return works;
}

inline TimedRun run_of(const TraceInterval& interval) {
  return {interval.begin_ns, interval.end_ns, interval.first, interval.first + interval.count - 1};
}

// When it had ended, by its own times or by those of all it was timed with; 0: not known.
inline std::uint64_t ended_ns(const Trace& trace, std::uint32_t command) {
  if (const std::uint64_t own = trace.commands()[command].ended_ns) return own;
  const auto interval = trace.interval_of(command);
  return interval ? trace.intervals()[*interval].end_ns : 0;
}

}  // namespace reel::analysis
