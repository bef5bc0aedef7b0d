// side.hpp - one document, cut into passes and rows that can be laid beside another's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/diff/statistics.hpp"
#include "reel/diff.hpp"

namespace reel::analysis {

using RowKey = std::pair<std::string, std::string>;  // scope, name

// What one row is in one pass.
struct RowTime {
  std::vector<std::uint32_t> commands;  // in order
  std::uint64_t ns = 0;                 // of the time the device was busy
};

struct PassTime {
  std::uint64_t started_ns = 0, ended_ns = 0;  // the first start, the last end; 0: not known
  std::uint64_t total_ns = 0, busy_ns = 0;
  std::uint64_t between_ns = 0;  // since the pass before it ended
  // Of that, what the system's scheduler decides: how late a wait returned, and how long the launch
  // took to reach the device.
  std::uint64_t woken_late_ns = 0, launching_ns = 0;
  std::uint64_t commands = 0, enqueued = 0, launches = 0;
  std::map<RowKey, RowTime> rows;
};

class Side {
 public:
  Side(const Trace& trace, const Report& report);

  const Trace& trace() const noexcept { return trace_; }
  const Report& report() const noexcept { return report_; }
  const std::vector<PassTime>& passes() const noexcept { return passes_; }  // one at least
  // False: the document was cut off, and has no pass that is whole.
  bool has_whole_pass() const noexcept { return has_whole_pass_; }
  // The pass whose time is in the middle: for what is no time.
  const PassTime& typical() const noexcept { return passes_[typical_]; }
  DiffSide numbers() const;

  // One time for each pass but those that fill caches: `time_of(pass)`.
  template <class TimeOf>
  Times times(TimeOf&& time_of) const {
    Times list;
    for (std::size_t p = warm_from_; p < passes_.size(); ++p) list.push_back(time_of(passes_[p]));
    return list;
  }
  Times totals() const {
    return times([](const PassTime& pass) { return pass.total_ns; });
  }
  // Before each pass but the first, of which it isn't known.
  Times between_times() const;
  double drift() const;                               // of whole passes, as a part of the median
  Times row_times(const RowKey& key) const;           // 0 in a pass without it
  Times run_times(const RowKey& key) const;           // of one run; of passes that have it
  std::map<std::string, Times> kernel_times() const;  // by name, in all scopes

  // Idle time by cause in all that was recorded.
  std::uint64_t idle_in_all_ns(IdleCause cause) const {
    return report_.activity.idle_ns[static_cast<std::size_t>(cause)];
  }
  // Idle time of a pass by cause, the median over the passes.
  std::uint64_t idle_ns(IdleCause cause) const;

 private:
  PassTime time_of(std::uint32_t first, std::uint32_t end) const;
  void add_latencies();
  RowKey key_of(const TraceWork& work) const;

  const Trace& trace_;
  const Report& report_;
  std::vector<PassTime> passes_;
  bool has_whole_pass_ = true;
  std::size_t typical_ = 0;
  std::size_t warm_from_ = 0;  // passes before it fill caches
};

}  // namespace reel::analysis
