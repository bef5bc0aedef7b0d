// What the host did between its calls, given again as recorded: its waits, and its own work as time
// in which it is busy.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/time/host_calls.hpp"
#include "analysis/time/intervals.hpp"
#include "base/fail.hpp"
#include "reel/units.hpp"
#include "replay/proof/experiments.hpp"

namespace reel::rerun {

namespace {

// Without what recording took of it. Throws unsupported where several threads gave commands: how
// they took turns is not recorded.
HostPauses recorded_pauses(const Trace& trace) {
  const analysis::HostCalls kinds(trace);
  std::vector<TraceCall> calls(trace.calls().begin(), trace.calls().end());
  std::optional<std::uint32_t> thread;
  for (const TraceCall& call : calls) {
    if (call.command == no_index) continue;
    if (thread && *thread != call.thread)
      fail(Code::unsupported,
           "Several threads of the program gave commands, and a replay has one.");
    thread = call.thread;
  }
  std::erase_if(calls, [&](const TraceCall& call) { return call.thread != thread; });
  std::ranges::stable_sort(calls, {}, &TraceCall::begin_ns);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> overheads;
  for (const TraceOverhead& overhead : trace.overheads())
    if (overhead.thread == thread) overheads.emplace_back(overhead.begin_ns, overhead.end_ns);
  const analysis::Intervals capturing(std::move(overheads));

  HostPauses pauses;
  HostPause pause;
  std::uint64_t free_since_ns = calls.empty() ? 0 : calls.front().begin_ns;
  for (const TraceCall& call : calls) {
    if (call.begin_ns > free_since_ns)
      pause.busy_ns +=
          call.begin_ns - free_since_ns - capturing.covered(free_since_ns, call.begin_ns);
    free_since_ns = std::max(free_since_ns, call.end_ns);
    if (call.command != no_index) {
      if (pauses.empty()) pause = {};  // nobody waits for what comes before the first
      pauses.emplace(call.command, std::exchange(pause, {}));
    }
    pause.waits |= kinds.kind_of(call) == analysis::CallKind::wait;
  }
  return pauses;
}

Proof compare(const Trial& trial, const char* what, HostPause (*without)(HostPause)) {
  Bench& bench = trial.bench;
  Plan before = bench.recorded(), after = bench.recorded();
  before.changes.pauses = recorded_pauses(bench.trace());
  std::uint64_t busy_ns = 0;
  std::size_t waits = 0;
  for (const auto& [command, pause] : before.changes.pauses) {
    busy_ns += pause.busy_ns;
    waits += pause.waits;
    after.changes.pauses[command] = without(pause);
  }
  Proof proof;
  const double most_ns = trial.seconds * 1e9 / fewest_pairs;
  if (static_cast<double>(busy_ns) > most_ns) {
    proof.verdict = ProofVerdict::inconclusive;
    proof.sentence = fmt::format(
        "The host was busy for {} between its calls, and {} pairs of runs would take longer than "
        "there is time for.",
        ns_text(static_cast<double>(busy_ns)), fewest_pairs);
    return proof;
  }
  const auto saving = bench.measure(before, after, trial.seconds);
  if (!saving) return not_tried(bench.why_too_few());
  proof.sentence = fmt::format(
      "With {} of the host and {} of its own work between calls, as recorded, the commands take "
      "{}; "
      "without {} {}: {}",
      count_text(waits, "wait"), ns_text(static_cast<double>(busy_ns)), ns_text(saving->before_ns),
      what, ns_text(saving->after_ns), saving_text(*saving));
  add_verdict(*saving, trial.claimed_ns(), proof);
  proof.sentence += '.';
  return proof;
}

}  // namespace

Proof without_host_waits(const Trial& trial) {
  return compare(trial, "the waits", [](HostPause pause) {
    pause.waits = false;
    return pause;
  });
}

Proof without_host_work(const Trial& trial) {
  return compare(trial, "that work", [](HostPause pause) {
    pause.busy_ns = 0;
    return pause;
  });
}

}  // namespace reel::rerun
