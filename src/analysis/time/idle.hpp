// idle.hpp - why a device had nothing to do.
//
// An idle period is cut where its cause changes, at the nanosecond the document has for it; the
// parts make up the period exactly. Holds indices into the trace, which must outlive it.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "analysis/order/stream_order.hpp"
#include "analysis/time/deciding_launches.hpp"
#include "analysis/time/host_calls.hpp"
#include "analysis/time/intervals.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

// When the program stood still for work of the recording. The small share of each call and what the
// writer's thread takes are spread over more time than their rows, and are not among it.
Intervals recording_work(const Trace& trace);
// The same, and when it stood still in a launch that only recording gives in parts.
Intervals recording_times(const Trace& trace);

class IdleSearch {
 public:
  explicit IdleSearch(const Trace& trace);

  // Adds the parts of `period`, in time, whose cause is not known yet.
  void explain(const Gap& period, std::vector<Gap>& parts);
  const HostCalls& calls() const noexcept { return calls_; }

 private:
  struct Claim {
    std::uint64_t begin_ns, end_ns;
    IdleCause cause;
    std::uint32_t call = no_index, after_wait = no_index;
  };
  using Claims = std::vector<Claim>;

  // What each part of [begin_ns, end_ns), which recording doesn't take, is idle for: by begin.
  void claim_all(const Gap& period, Claims& claims) const;
  void claim_before_enqueue(const Gap& period, std::uint64_t enqueued_ns, std::uint32_t thread,
                            Claims& claims) const;
  std::uint64_t claim_wait(const Gap& period, std::uint32_t wait, std::uint64_t end_ns,
                           Claims& claims) const;
  void claim_waiting(const Gap& period, const Claim& wait, Claims& claims) const;
  void claim_after_enqueue(const Gap& period, std::uint64_t enqueued_ns, Claims& claims) const;

  bool has_untimed_between(const Gap& period) const;
  bool is_between_nodes_given_one_by_one(const Gap& period) const;
  std::uint64_t end_of_awaited(const Gap& period) const;
  std::uint64_t end_of_others(const Gap& period, std::uint64_t end_ns) const;

  const Trace& trace_;
  HostCalls calls_;
  StreamOrder order_;
  CommandWaits waits_;
  Intervals capturing_;
  DecidingLaunches deciding_;
  std::set<std::uint32_t> one_by_one_;  // graphs that only a recording gives so
  Claims claims_;  // of the period that is looked at: memory for a million of them is made once
  std::vector<std::uint64_t> errors_ns_;             // of the clocks, by device
  std::vector<std::vector<std::uint64_t>> ends_ns_;  // sorted; by device, then of host calls
};

}  // namespace reel::analysis
