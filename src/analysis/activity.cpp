// Who ran when, and why a device had nothing to do in between.
#include <algorithm>

#include "analysis/host_calls.hpp"
#include "analysis/intervals.hpp"
#include "analysis/stream_order.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

namespace {

// Work of the device: a host call holds up its stream, but the device is free meanwhile.
bool is_device_work(WorkKind kind) {
  return kind != WorkKind::host_call && kind != WorkKind::barrier && kind != WorkKind::launch;
}

// Adds what a command ran to the union of those before it; commands come by their start.
void unite(Lane& lane, const TraceCommand& command) {
  if (lane.timed == 0) lane.begin_ns = lane.end_ns = command.started_ns;
  ++lane.timed;
  if (command.ended_ns <= lane.end_ns) return;
  lane.busy_ns += command.ended_ns - std::max(command.started_ns, lane.end_ns);
  lane.end_ns = command.ended_ns;
}

void find_span(const Trace& trace, Activity& activity) {
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  const auto take = [&](std::uint64_t from, std::uint64_t to) {
    if (from) begin = std::min(begin, from);
    end = std::max(end, to);
  };
  for (const TraceCommand& command : trace.commands()) {
    take(command.call_begin_ns, command.call_end_ns);
    if (command.has_run_times()) take(command.started_ns, command.ended_ns);
  }
  for (const TraceCall& call : trace.calls()) take(call.begin_ns, call.end_ns);
  if (begin >= end) return;
  activity.begin_ns = begin;
  activity.end_ns = end;
}

// The gaps of one device.
class GapSearch {
 public:
  GapSearch(const Trace& trace, const HostCalls& calls, const StreamOrder& order,
            const Intervals& capturing, std::uint32_t device)
      : trace_(trace), calls_(calls), order_(order), capturing_(capturing), device_(device) {
    error_ns_ = trace.devices()[device].clock_error_ns.value_or(0);
  }

  Gap explain(std::uint32_t before, std::uint32_t after) const {
    Gap gap;
    gap.device = device_;
    gap.before = before;
    gap.after = after;
    gap.begin_ns = trace_.commands()[before].ended_ns;
    gap.end_ns = trace_.commands()[after].started_ns;
    gap.cause = cause_of(gap);
    return gap;
  }

 private:
  IdleCause cause_of(Gap& gap) const {
    if (capturing_.covered(gap.begin_ns, gap.end_ns) * 2 >= gap.size_ns())
      return IdleCause::capture;
    const TraceCommand& next = trace_.commands()[gap.after];
    if (next.call_begin_ns == 0 || has_untimed_between(gap)) return IdleCause::unknown;
    if (next.call_begin_ns > gap.begin_ns + error_ns_) {
      const std::uint64_t given = std::min(next.call_begin_ns, gap.end_ns);
      // Given in the first half already: most of the gap is the way to the device.
      if ((given - gap.begin_ns) * 2 < gap.size_ns()) return IdleCause::launch;
      return cause_on_host(gap, next.thread, given);
    }
    return waited_for_another(gap) ? IdleCause::dependency : IdleCause::launch;
  }

  IdleCause cause_on_host(Gap& gap, std::uint32_t thread, std::uint64_t given) const {
    if (const auto wait = calls_.wait_at(thread, gap.begin_ns, error_ns_)) {
      gap.call = *wait;
      return IdleCause::sync;
    }
    const auto longest = calls_.longest_within(thread, gap.begin_ns, given);
    gap.call = longest.call;
    if (longest.overlap_ns * 2 < given - gap.begin_ns) return IdleCause::host;
    switch (longest.kind) {
      case CallKind::build:
        return IdleCause::build;
      case CallKind::allocate:
        return IdleCause::allocation;
      case CallKind::wait:
        return IdleCause::sync;
      case CallKind::other:
        break;
    }
    return IdleCause::host;
  }

  // What came before it in its stream, or what it was told to wait for, ended within the gap: a
  // host call, or work of another device.
  bool waited_for_another(const Gap& gap) const {
    const auto ended_within = [&](std::uint32_t c) {
      const std::uint64_t end = trace_.commands()[c].ended_ns;
      return end > gap.begin_ns + error_ns_ && end <= gap.end_ns + error_ns_;
    };
    if (const auto previous = order_.previous(gap.after); previous && ended_within(*previous))
      return true;
    return std::ranges::any_of(order_.waits(gap.after),
                               [&](const TraceOrder& wait) { return ended_within(wait.after); });
  }

  bool has_untimed_between(const Gap& gap) const {
    // A command that has no stamps may have run in there.
    const std::uint32_t first = std::min(gap.before, gap.after) + 1;
    const std::uint32_t end = std::max(gap.before, gap.after);
    for (std::uint32_t c = first; c < end && c < first + 64; ++c) {
      const TraceCommand& command = trace_.commands()[c];
      if (trace_.streams()[command.stream].device == device_ && !command.has_run_times() &&
          is_device_work(trace_.work_of(command).kind))
        return true;
    }
    return false;
  }

  const Trace& trace_;
  const HostCalls& calls_;
  const StreamOrder& order_;
  const Intervals& capturing_;
  std::uint32_t device_;
  std::uint64_t error_ns_ = 0;
};

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

Activity find_activity(const Trace& trace) {
  Activity activity;
  activity.devices.resize(trace.devices().size());
  activity.streams.resize(trace.streams().size());
  find_span(trace, activity);

  const std::vector<std::uint64_t> own_ns = own_run_ns(trace);
  // With the times: looked up in each comparison, they would be unpacked thirty times.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_start;
  by_start.reserve(own_ns.size());
  for (std::uint32_t c = 0; c < own_ns.size(); ++c) {
    const TraceCommand& command = trace.commands()[c];
    const WorkKind kind = trace.works()[command.work].kind;
    const std::uint32_t device = trace.streams()[command.stream].device;
    ++activity.streams[command.stream].commands;
    if (device != no_index) ++activity.devices[device].commands;
    if (!command.has_run_times() || command.ended_ns < command.started_ns) continue;
    by_start.emplace_back(command.started_ns, c);
    activity.streams[command.stream].sum_ns += own_ns[c];
    if (!is_device_work(kind)) continue;
    if (device != no_index) activity.devices[device].sum_ns += own_ns[c];
    activity.sum_ns += own_ns[c];
    if (kind != WorkKind::dispatch && kind != WorkKind::unknown) activity.copy_ns += own_ns[c];
  }
  if (!std::ranges::is_sorted(by_start)) std::ranges::sort(by_start);

  const HostCalls calls(trace);
  const StreamOrder order(trace);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const TraceOverhead& overhead : trace.overheads())
    // Those are spread over more time than their rows.
    if (overhead.kind != OverheadKind::commands && overhead.kind != OverheadKind::writing)
      spans.emplace_back(overhead.begin_ns, overhead.end_ns);
  const Intervals capturing(std::move(spans));
  std::vector<GapSearch> searches;
  for (std::uint32_t d = 0; d < trace.devices().size(); ++d)
    searches.emplace_back(trace, calls, order, capturing, d);
  std::vector<std::uint32_t> last_to_end(trace.devices().size(), no_index);
  Lane any;
  for (const auto& [started_ns, c] : by_start) {
    const TraceCommand& command = trace.commands()[c];
    unite(activity.streams[command.stream], command);
    const std::uint32_t device = trace.streams()[command.stream].device;
    if (device == no_index || !is_device_work(trace.works()[command.work].kind)) continue;
    Lane& lane = activity.devices[device];
    if (lane.timed > 0 && command.started_ns > lane.end_ns) {
      const Gap gap = searches[device].explain(last_to_end[device], c);
      activity.idle_ns[static_cast<std::size_t>(gap.cause)] += gap.size_ns();
      activity.gaps.push_back(gap);
    }
    if (lane.timed == 0 || command.ended_ns > lane.end_ns) last_to_end[device] = c;
    unite(lane, command);
    unite(any, command);
  }
  activity.busy_ns = any.busy_ns;
  return activity;
}

Bottleneck find_verdict(const Activity& activity) {
  // Over the time from the first start to the last end of each device: what came before and after
  // is the program's setting up, which no device could have filled.
  std::uint64_t busy = 0, span = 0;
  for (const Lane& lane : activity.devices) {
    busy += lane.busy_ns;
    span += lane.span_ns();
  }
  if (span == 0) return Bottleneck::unknown;
  const auto idle = [&](IdleCause cause) {
    return activity.idle_ns[static_cast<std::size_t>(cause)];
  };
  if (busy * 10 >= span * 9)
    return activity.copy_ns * 2 > activity.sum_ns ? Bottleneck::copies : Bottleneck::device;
  // Nine tenths busy is the device's own pace; below that, the largest part of the time decides.
  const std::uint64_t host = idle(IdleCause::host) + idle(IdleCause::build) +
                             idle(IdleCause::allocation) + idle(IdleCause::launch);
  const std::uint64_t waits = idle(IdleCause::sync) + idle(IdleCause::dependency);
  const std::uint64_t unsure = idle(IdleCause::unknown) + idle(IdleCause::capture);
  const std::uint64_t most = std::max({host, waits, unsure});
  if (busy > 2 * (host + waits + unsure))
    return activity.copy_ns * 2 > activity.sum_ns ? Bottleneck::copies : Bottleneck::device;
  if (most == unsure) return Bottleneck::unknown;
  return most == host ? Bottleneck::host : Bottleneck::waits;
}

}  // namespace reel::analysis
