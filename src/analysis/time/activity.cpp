// Who ran when, and when a device had nothing to do in between; idle.cpp says why.
#include "analysis/time/activity.hpp"

#include <algorithm>

#include "analysis/reserve_by_part.hpp"
#include "analysis/time/first_launches.hpp"
#include "analysis/time/idle.hpp"
#include "analysis/time/timed_runs.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

namespace {

// Adds what ran to the union of what was before it; they come by their start.
void unite(Lane& lane, const TimedRun& run) {
  if (lane.timed == 0) lane.begin_ns = lane.end_ns = run.started_ns;
  lane.timed += run.last - run.first + 1;
  if (run.ended_ns <= lane.end_ns) return;
  lane.busy_ns += run.ended_ns - std::max(run.started_ns, lane.end_ns);
  lane.end_ns = run.ended_ns;
}

// By the first command: no command is in two of them.
bool starts_before(const TimedRun& a, const TimedRun& b) {
  return std::pair(a.started_ns, a.first) < std::pair(b.started_ns, b.first);
}

}  // namespace

std::vector<std::uint64_t> own_run_ns(const Trace& trace) {
  std::vector<std::uint64_t> times;
  times.reserve(trace.commands().size());
  for (const TraceCommand& command : trace.commands()) {
    times.push_back(command.run_ns());
    if (command.launch != no_index && command.has_run_times()) times[command.launch] = 0;
  }
  return times;
}

TimeSpan find_span(const Trace& trace) {
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  const auto take = [&](std::uint64_t from, std::uint64_t to) {
    if (from) begin = std::min(begin, from);
    end = std::max(end, to);
  };
  for (const TraceCommand& command : trace.commands()) {
    take(command.call_begin_ns, command.call_end_ns);
    if (command.has_run_times()) take(command.started_ns, command.ended_ns);
  }
  for (const TraceInterval& interval : trace.intervals()) take(interval.begin_ns, interval.end_ns);
  // The others are those of commands, above.
  const TraceCalls& calls = trace.calls();
  for (std::size_t i = calls.next_other(0); i < calls.size(); i = calls.next_other(i + 1))
    take(calls[i].begin_ns, calls[i].end_ns);
  // An allocation may come before the first call that has a row.
  if (end)
    for (const TraceBuffer& buffer : trace.buffers())
      if (buffer.allocated_ns) take(*buffer.allocated_ns, 0);
  return begin < end ? TimeSpan{begin, end} : TimeSpan{};
}

Activity find_activity(const Trace& trace) { return find_activity(trace, own_run_ns(trace)); }

Activity find_activity(const Trace& trace, std::span<const std::uint64_t> own_ns) {
  const TraceCommands& commands = trace.commands();
  const std::vector<TraceWork>& works = trace.works();
  const std::vector<TraceStream>& streams = trace.streams();
  Activity activity;
  activity.devices.resize(trace.devices().size());
  activity.streams.resize(streams.size());
  const TimeSpan span = find_span(trace);
  activity.begin_ns = span.begin_ns;
  activity.end_ns = span.end_ns;

  // With the times: looked up in each comparison, they would be unpacked thirty times.
  std::vector<TimedRun> by_start;
  by_start.reserve(own_ns.size());
  for (std::uint32_t c = 0; c < own_ns.size(); ++c) {
    const TraceCommand& command = commands[c];
    const TraceWork& work = works[command.work];
    const WorkKind kind = work.kind;
    const std::uint32_t device = streams[command.stream].device;
    ++activity.streams[command.stream].commands;
    if (device != no_index) ++activity.devices[device].commands;
    // A launch with times stands for nodes that have none, and an interval for all within it.
    const bool has_times = command.has_run_times() || trace.interval_of(c) ||
                           (command.launch != no_index && commands[command.launch].has_run_times());
    if (is_device_work(trace, work)) ++(has_times ? activity.timed : activity.untimed);
    if (!command.has_run_times() || command.ended_ns < command.started_ns) continue;
    by_start.push_back({command.started_ns, command.ended_ns, c, c});
    activity.streams[command.stream].sum_ns += own_ns[c];
    if (!takes_device_time(trace, work, own_ns[c])) continue;
    if (device != no_index) activity.devices[device].sum_ns += own_ns[c];
    activity.sum_ns += own_ns[c];
    if (kind != WorkKind::dispatch && kind != WorkKind::launch && kind != WorkKind::unknown &&
        kind != WorkKind::host_call)
      activity.copy_ns += own_ns[c];
  }
  for (const TraceInterval& interval : trace.intervals()) {
    by_start.push_back(run_of(interval));
    activity.streams[interval.stream].sum_ns += interval.size_ns();
    const IntervalWorks its = works_of(trace, interval);
    if (its.count == 0) continue;
    if (const std::uint32_t device = streams[interval.stream].device; device != no_index)
      activity.devices[device].sum_ns += interval.size_ns();
    activity.sum_ns += interval.size_ns();
    if (its.are_copies) activity.copy_ns += interval.size_ns();
  }
  if (!std::ranges::is_sorted(by_start, starts_before)) std::ranges::sort(by_start, starts_before);

  IdleSearch search(trace);
  std::vector<std::uint32_t> last_to_end(trace.devices().size(), no_index);
  for (std::size_t i = 0; i < by_start.size(); ++i) {
    const TimedRun& run = by_start[i];
    reserve_by_part(activity.gaps, i, by_start.size());
    const TraceCommand& command = commands[run.first];
    unite(activity.streams[command.stream], run);
    const std::uint32_t device = streams[command.stream].device;
    const auto interval = command.has_run_times() ? std::nullopt : trace.interval_of(run.first);
    const bool takes_time = interval
                                ? works_of(trace, trace.intervals()[*interval]).count > 0
                                : takes_device_time(trace, works[command.work], own_ns[run.first]);
    if (device == no_index || !takes_time) continue;
    Lane& lane = activity.devices[device];
    if (lane.timed > 0 && run.started_ns > lane.end_ns)
      search.explain({.device = device,
                      .begin_ns = lane.end_ns,
                      .end_ns = run.started_ns,
                      .before = last_to_end[device],
                      .after = run.first,
                      .period = activity.idle_periods++},
                     activity.gaps);
    if (lane.timed == 0 || run.ended_ns > lane.end_ns) last_to_end[device] = run.last;
    unite(lane, run);
  }
  // Those of several devices come mixed.
  if (!std::ranges::is_sorted(activity.gaps, {}, &Gap::begin_ns))
    std::ranges::stable_sort(activity.gaps, {}, &Gap::begin_ns);
  find_builds_at_launch(trace, search.calls(), activity.gaps);
  for (const Gap& gap : activity.gaps)
    activity.idle_ns[static_cast<std::size_t>(gap.cause)] += gap.size_ns();
  for (const Lane& lane : activity.devices) {
    activity.busy_ns += lane.busy_ns;
    activity.active_ns += lane.span_ns();
  }
  return activity;
}

TimeSpan Activity::active_span() const noexcept {
  TimeSpan span{end_ns, begin_ns};
  for (const Lane& lane : devices) {
    if (!lane.timed) continue;
    span.begin_ns = std::min(span.begin_ns, lane.begin_ns);
    span.end_ns = std::max(span.end_ns, lane.end_ns);
  }
  return span.begin_ns < span.end_ns ? span : TimeSpan{};
}

Bottleneck find_verdict(const Activity& activity) {
  // Over the time from the first start to the last end of each device: what came before and after
  // is the program's setting up, which no device could have filled.
  if (!activity.has_times() || activity.is_partly_timed()) return Bottleneck::unknown;
  const auto idle = [&](IdleCause cause) {
    return activity.idle_ns[static_cast<std::size_t>(cause)];
  };
  const Bottleneck own_pace =
      activity.copy_ns * 2 > activity.sum_ns ? Bottleneck::copies : Bottleneck::device;
  // Recording isn't the program's: the verdict is about the time without it.
  const std::uint64_t active = activity.active_ns - idle(IdleCause::capture);
  if (activity.busy_ns * 10 >= active * 9) return own_pace;
  // Nine tenths busy is the device's own pace; below that, the largest part of the time decides.
  const std::uint64_t host = idle(IdleCause::host) + idle(IdleCause::build) +
                             idle(IdleCause::allocation) + idle(IdleCause::launch);
  const std::uint64_t waits =
      idle(IdleCause::sync) + idle(IdleCause::wakeup) + idle(IdleCause::dependency);
  const std::uint64_t copies = idle(IdleCause::transfer);
  const std::uint64_t unsure = idle(IdleCause::unknown);
  if (activity.busy_ns > 2 * (host + waits + copies + unsure)) return own_pace;
  const std::uint64_t most = std::max({host, waits, copies, unsure});
  if (most == unsure) return Bottleneck::unknown;
  if (most == copies) return Bottleneck::copies;
  return most == host ? Bottleneck::host : Bottleneck::waits;
}

}  // namespace reel::analysis
