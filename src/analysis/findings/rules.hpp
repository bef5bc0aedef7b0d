// rules.hpp - the list of rules, and what they share.
//
// A rule looks at one case and adds what it found. It knows nothing of the others; sorting, cutting
// and printing are not its business. docs/insights.md has a line for each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/sync/queue_sync.hpp"
#include "analysis/time/cold_runs.hpp"
#include "reel/dependency_sets.hpp"
#include "reel/insights.hpp"
#include "reel/peaks.hpp"

namespace reel::analysis {

struct Case {
  const Trace& trace;
  const Report& report;
  QueueSync queues = {};  // where there are queues that order nothing by themselves
  std::span<const DevicePeaks> peaks = {};  // of devices that were measured here
  ColdRuns cold = {};
  // Asked for millions of times.
  const TraceCommands& commands = trace.commands();
  const std::vector<TraceWork>& works = trace.works();
  const DependencySets sets{report.dependency_sets};

  // Inlined always: who asks for one number of a command unpacks that one alone.
  [[gnu::always_inline]] TraceCommand command(std::uint32_t c) const { return commands[c]; }
  [[gnu::always_inline]] const TraceWork& work(std::uint32_t c) const {
    return works[command(c).work];
  }
  // Whether any command may be of this kind: most rules are about few kinds.
  bool has_work_of(std::initializer_list<WorkKind> kinds) const;
  // The program may read and write it without a call (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT): nobody
  // knows that it doesn't.
  bool is_host_visible(std::uint32_t buffer) const {
    return trace.buffers()[buffer].memory.flags & 2;
  }
  // What the device was measured to be able to do; nullptr: not known here.
  const DevicePeaks* peaks_of(std::uint32_t device) const;
  // From the first start to the last end of all devices: what shares are of.
  std::uint64_t active_ns() const { return report.activity.active_ns; }
  // Less than this is not worth a person's time: a hundredth.
  bool is_worth(std::uint64_t ns) const { return ns > 0 && ns * 100 >= active_ns(); }
};

using Findings = std::vector<Finding>;
using Rule = void (*)(const Case&, Findings&);

void verdict_rule(const Case&, Findings&);
void idle_rule(const Case&, Findings&);
void launch_bound_rule(const Case&, Findings&);
void launch_shape_rule(const Case&, Findings&);
void fusion_rule(const Case&, Findings&);
void barrier_rule(const Case&, Findings&);
void race_rule(const Case&, Findings&);
void queues_rule(const Case&, Findings&);
void host_access_rule(const Case&, Findings&);
void alias_rule(const Case&, Findings&);
void unfollowed_rule(const Case&, Findings&);
void overlap_rule(const Case&, Findings&);
void transfers_rule(const Case&, Findings&);  // copy.…, upload.dup, fill.dead
void decision_rule(const Case&, Findings&);   // decision.failed
void memory_rule(const Case&, Findings&);
void path_rule(const Case&, Findings&);
void bandwidth_rule(const Case&, Findings&);
void nan_rule(const Case&, Findings&);
void uninitialised_rule(const Case&, Findings&);  // read.uninit
void nondeterminism_rule(const Case&, Findings&);
void outlier_rule(const Case&, Findings&);  // outlier, speeds
void clock_rule(const Case&, Findings&);
void build_rule(const Case&, Findings&);
void capture_rule(const Case&, Findings&);

// Says of advice that excludes another what comes first.
void put_together(Findings& findings);

// The middle one; 0 of none. Changes the order.
std::uint64_t median(std::vector<std::uint64_t>& values);

// Host time that giving a command took, apart from running it where the device is the host.
[[gnu::always_inline]] inline std::uint64_t giving_ns(const TraceCommand& command) {
  if (command.call_end_ns <= command.call_begin_ns) return 0;
  const std::uint64_t call = command.call_end_ns - command.call_begin_ns;
  if (!command.has_run_times()) return call;
  const std::uint64_t begin = std::max(command.started_ns, command.call_begin_ns);
  const std::uint64_t end = std::min(command.ended_ns, command.call_end_ns);
  return end > begin ? call - (end - begin) : call;
}

// When the first build that was recorded ended. Kernels that were built before a capture began may
// have run before it, too: what runs first in the document is no first run then.
std::optional<std::uint64_t> first_build_ns(const Trace& trace);

// What the host's builds took, each moment once.
std::uint64_t building_ns(const Trace& trace);

// Idle time between nodes of graphs that only a recording gives one by one: of what has the cause
// capture, that which no work of the recording overlaps.
std::uint64_t idle_between_nodes_ns(const Case& c);

// The name of a call in a sentence.
std::string call_text(const Trace& trace, std::uint32_t name);

// The call that takes most of this time, and how much of it; 0: there is none.
struct During {
  std::uint32_t name = 0;  // text
  std::uint64_t ns = 0;
};
During longest_call_during(const Trace& trace, std::uint64_t begin_ns, std::uint64_t end_ns);

// " in GraphSession::finish()": the call that takes half of this time or more; empty if none does.
std::string during_text(const Trace& trace, std::uint64_t begin_ns, std::uint64_t end_ns);

// The first `most_evidence`.
std::vector<std::uint32_t> some(std::vector<std::uint32_t> list);

// The largest `most_evidence` come first, in order, and of equals the first; the others follow in
// any order. The pointers go into one list.
template <class T, class Size>
void largest_first(std::vector<const T*>& list, Size&& size) {
  const auto middle =
      list.begin() + static_cast<std::ptrdiff_t>(std::min(list.size(), most_evidence));
  std::ranges::partial_sort(list, middle, [&](const T* a, const T* b) {
    return size(*a) != size(*b) ? size(*a) > size(*b) : a < b;
  });
}

// "Its first run, c3, took 36.8 ms, later ones like it 0.8 ms": what of a kernel's time is most
// likely warming up. Empty where nothing shows it.
std::string cold_text(const Case& c, std::uint32_t kernel);

// "'matmul' (k4)".
std::string kernel_text(const Trace& trace, std::uint32_t kernel);

}  // namespace reel::analysis
