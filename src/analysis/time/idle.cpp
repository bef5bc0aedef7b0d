#include "analysis/time/idle.hpp"

#include <algorithm>

#include "analysis/time/timed_runs.hpp"
#include "document/trace/one_by_one.hpp"

namespace reel::analysis {

namespace {

std::optional<IdleCause> cause_of(CallKind kind) {
  switch (kind) {
    case CallKind::build:
      return IdleCause::build;
    case CallKind::allocate:
      return IdleCause::allocation;
    case CallKind::transfer:
      return IdleCause::transfer;
    case CallKind::wait:
      return IdleCause::sync;
    case CallKind::other:
      break;
  }
  return std::nullopt;
}

DecidingLaunches::Spans spans_of_recording_work(const Trace& trace) {
  DecidingLaunches::Spans spans;
  for (const TraceOverhead& overhead : trace.overheads())
    if (overhead.kind != OverheadKind::commands && overhead.kind != OverheadKind::writing)
      spans.emplace_back(overhead.begin_ns, overhead.end_ns);
  return spans;
}

}  // namespace

Intervals recording_work(const Trace& trace) { return Intervals(spans_of_recording_work(trace)); }

Intervals recording_times(const Trace& trace) {
  DecidingLaunches::Spans spans = spans_of_recording_work(trace);
  DecidingLaunches(trace).add_recording(spans);
  return Intervals(std::move(spans));
}

IdleSearch::IdleSearch(const Trace& trace)
    : trace_(trace),
      calls_(trace),
      order_(trace),
      waits_(trace),
      capturing_(recording_times(trace)),
      deciding_(trace),
      one_by_one_(graphs_given_one_by_one(trace)) {
  for (const TraceDevice& device : trace.devices())
    errors_ns_.push_back(device.clock_error_ns.value_or(0));
  // Of a document of one device, host calls alone.
  const std::size_t devices = trace.devices().size();
  ends_ns_.resize(devices + 1);
  for (const TraceCommand& command : trace.commands()) {
    if (!command.has_run_times()) continue;
    const TraceWork& work = trace.works()[command.work];
    const std::uint32_t device = trace.streams()[command.stream].device;
    if (work.kind == WorkKind::host_call && !is_device_work(trace, work))
      ends_ns_[devices].push_back(command.ended_ns);
    else if (devices > 1 && device != no_index && is_device_work(trace, work))
      ends_ns_[device].push_back(command.ended_ns);
  }
  if (devices > 1)
    for (const TraceInterval& interval : trace.intervals())
      if (const std::uint32_t device = trace.streams()[interval.stream].device; device != no_index)
        ends_ns_[device].push_back(interval.end_ns);
  for (auto& ends : ends_ns_) std::ranges::sort(ends);
}

void IdleSearch::explain(const Gap& period, std::vector<Gap>& parts) {
  const std::size_t first = parts.size();
  const auto add = [&](const Claim& claim) {
    if (claim.begin_ns >= claim.end_ns) return;
    if (parts.size() > first && parts.back().cause == claim.cause &&
        parts.back().call == claim.call && parts.back().after_wait == claim.after_wait) {
      parts.back().end_ns = claim.end_ns;
      return;
    }
    Gap part = period;
    part.begin_ns = claim.begin_ns;
    part.end_ns = claim.end_ns;
    part.cause = claim.cause;
    part.call = claim.call;
    part.after_wait = claim.after_wait;
    parts.push_back(part);
  };
  claims_.clear();
  claim_all(period, claims_);
  // What recording takes is recording's, whatever the program did meanwhile.
  for (const Claim& claim : claims_) {
    Claim rest = claim;
    capturing_.for_each_within(claim.begin_ns, claim.end_ns,
                               [&](std::uint64_t begin, std::uint64_t end) {
                                 Claim before = rest;
                                 before.end_ns = begin;
                                 add(before);
                                 add({begin, end, IdleCause::capture});
                                 rest.begin_ns = end;
                               });
    add(rest);
  }
}

void IdleSearch::claim_all(const Gap& period, Claims& claims) const {
  const TraceCommand& next = trace_.commands()[period.after];
  const std::uint64_t error = errors_ns_[period.device];
  // Without a call, with work in between whose times nobody knows, or with clocks that put the
  // start before the call, nothing can be told.
  if (next.call_begin_ns == 0 || period.end_ns + error < next.call_begin_ns ||
      has_untimed_between(period)) {
    claims.push_back({period.begin_ns, period.end_ns, IdleCause::unknown});
    return;
  }
  // The question of a decision and its answer: the launch that both belong to began before.
  if (const std::uint32_t launch = deciding_.launch_of(period.after);
      launch != no_index && deciding_.waits_for_answers(launch) &&
      deciding_.launch_of(period.before) == launch) {
    claims.push_back({period.begin_ns, period.end_ns, IdleCause::launch});
    return;
  }
  const bool was_enqueued = next.call_begin_ns <= period.begin_ns + error;
  const std::uint64_t enqueued =
      was_enqueued ? period.begin_ns : std::min(next.call_begin_ns, period.end_ns);
  claim_before_enqueue(period, enqueued, next.thread, claims);
  claim_after_enqueue(period, enqueued, claims);
}

void IdleSearch::claim_before_enqueue(const Gap& period, std::uint64_t enqueued_ns,
                                      std::uint32_t thread, Claims& claims) const {
  if (enqueued_ns <= period.begin_ns) return;
  const auto wait = calls_.wait_at(thread, period.begin_ns, errors_ns_[period.device]);
  // Once it was released, what the host does is its own business.
  const std::uint32_t waited_in = wait.value_or(no_index);
  std::uint64_t from = period.begin_ns;
  if (wait) from = claim_wait(period, *wait, enqueued_ns, claims);
  calls_.for_each_within(thread, from, enqueued_ns, [&](const TraceCall& call, std::uint32_t i) {
    const std::uint64_t begin = std::max(from, call.begin_ns);
    const std::uint64_t end = std::min(enqueued_ns, call.end_ns);
    if (end <= begin) return;  // within the one before
    if (begin > from) claims.push_back({from, begin, IdleCause::host, no_index, waited_in});
    const IdleCause cause = cause_of(calls_.kind_of(call)).value_or(IdleCause::host);
    if (cause == IdleCause::sync)
      claim_waiting(period, {begin, end, cause, i, waited_in}, claims);
    else
      claims.push_back({begin, end, cause, i, waited_in});
    from = end;
  });
  if (from < enqueued_ns)
    claims.push_back({from, enqueued_ns, IdleCause::host, no_index, waited_in});
}

// The host was in a wait when the device was done.
std::uint64_t IdleSearch::claim_wait(const Gap& period, std::uint32_t wait, std::uint64_t end_ns,
                                     Claims& claims) const {
  const std::uint64_t returned = std::min(trace_.calls()[wait].end_ns, end_ns);
  if (returned <= period.begin_ns) return period.begin_ns;
  claim_waiting(period, {period.begin_ns, returned, IdleCause::sync, wait}, claims);
  return returned;
}

// Until what else it waited for ended, that is the wait's business; from then on, or where nothing
// ran that it could have waited for, it returned late.
void IdleSearch::claim_waiting(const Gap& period, const Claim& wait, Claims& claims) const {
  Claim waiting = wait, late = wait;
  waiting.end_ns = late.begin_ns = std::max(wait.begin_ns, end_of_others(period, wait.end_ns));
  late.cause = IdleCause::wakeup;
  for (const Claim& claim : {waiting, late})
    if (claim.begin_ns < claim.end_ns) claims.push_back(claim);
}

void IdleSearch::claim_after_enqueue(const Gap& period, std::uint64_t enqueued_ns,
                                     Claims& claims) const {
  if (enqueued_ns >= period.end_ns) return;
  std::uint64_t from = enqueued_ns;
  if (const std::uint64_t end = std::min(end_of_awaited(period), period.end_ns); end > from) {
    claims.push_back({from, end, IdleCause::dependency});
    from = end;
  }
  // The call that gives a write copies the bytes before it hands them over.
  const TraceCommand& next = trace_.commands()[period.after];
  const WorkKind kind = trace_.works()[next.work].kind;
  const std::uint64_t copied = std::min(next.call_end_ns, period.end_ns);
  if (kind == WorkKind::write && copied > from) {
    claims.push_back({from, copied, IdleCause::transfer});
    from = copied;
  }
  if (from < period.end_ns)
    claims.push_back(
        {from, period.end_ns,
         is_between_nodes_given_one_by_one(period) ? IdleCause::capture : IdleCause::launch});
}

// The program alone launches such a graph as one, so these launches are recording's.
bool IdleSearch::is_between_nodes_given_one_by_one(const Gap& period) const {
  if (one_by_one_.empty()) return false;
  const std::uint32_t launch = trace_.commands()[period.after].launch;
  return launch != no_index && trace_.commands()[period.before].launch == launch &&
         one_by_one_.contains(trace_.work_of(trace_.commands()[launch]).graph);
}

// When the last of what came before it in its stream, or what it was told to wait for, ended: a
// host call, or work of another device. 0: before the period.
std::uint64_t IdleSearch::end_of_awaited(const Gap& period) const {
  const std::uint64_t error = errors_ns_[period.device];
  std::uint64_t latest = 0;
  const auto look_at = [&](std::uint32_t c) {
    const std::uint64_t end = ended_ns(trace_, c);
    if (end > period.begin_ns + error && end <= period.end_ns + error)
      latest = std::max(latest, end);
  };
  if (const auto previous = order_.previous(period.after)) look_at(*previous);
  for (const TraceOrder& wait : waits_.of(period.after)) look_at(wait.after);
  return latest;
}

// The last end of a host call, or of work of another device, up to `end_ns`; else the begin of the
// period.
std::uint64_t IdleSearch::end_of_others(const Gap& period, std::uint64_t end_ns) const {
  std::uint64_t latest = period.begin_ns;
  for (std::size_t d = 0; d < ends_ns_.size(); ++d) {
    if (d == period.device) continue;
    const auto after = std::ranges::upper_bound(ends_ns_[d], end_ns);
    if (after != ends_ns_[d].begin()) latest = std::max(latest, *std::prev(after));
  }
  return latest;
}

bool IdleSearch::has_untimed_between(const Gap& period) const {
  // A command that has no stamps may have run in there.
  const std::uint32_t first = std::min(period.before, period.after) + 1;
  const std::uint32_t end = std::max(period.before, period.after);
  for (std::uint32_t c = first; c < end && c < first + 64; ++c) {
    const TraceCommand& command = trace_.commands()[c];
    if (trace_.streams()[command.stream].device == period.device && !command.has_run_times() &&
        is_device_work(trace_, trace_.work_of(command)) && !trace_.interval_of(c))
      return true;
  }
  return false;
}

}  // namespace reel::analysis
