#include "analysis/time/deciding_launches.hpp"

#include <algorithm>

#include "document/trace/one_by_one.hpp"

namespace reel::analysis {

DecidingLaunches::DecidingLaunches(const Trace& trace) : trace_(trace) {
  const auto& regions = trace.regions();
  for (std::uint32_t r = 0; r < regions.size(); ++r) {
    if (regions[r].kind != TraceRegion::Kind::launch) continue;
    threads_[regions[r].thread].push_back(static_cast<std::uint32_t>(launches_.size()));
    launches_.push_back({.region = r});
  }
  if (launches_.empty()) return;
  const std::set<std::uint32_t> in_parts = graphs_noted(trace, in_parts_kind);
  for (Launch& launch : launches_)
    launch.is_in_parts = in_parts.contains(regions[launch.region].number);
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    const std::uint32_t found = launch_of(c);
    if (found == no_index) continue;
    Launch& launch = launches_[found];
    launch.first = std::min(launch.first, c);
    launch.end = c + 1;
    // A decision that reads no condition asks a function.
    const TraceCommand& command = trace.commands()[c];
    if (launch.started_ns == 0 && command.has_run_times()) launch.started_ns = command.started_ns;
    if (command.launch == no_index && trace.works()[command.work].kind == WorkKind::barrier)
      launch.asks_functions = true;
  }
}

std::uint32_t DecidingLaunches::launch_of(std::uint32_t command) const {
  if (launches_.empty()) return no_index;
  const TraceCommand& given = trace_.commands()[command];
  const auto thread = threads_.find(given.thread);
  if (thread == threads_.end() || given.call_begin_ns == 0) return no_index;
  // A launch is over before the next one of its thread begins.
  const auto begin_of = [&](std::uint32_t launch) { return region(launch).begin_ns; };
  const auto after = std::ranges::upper_bound(thread->second, given.call_begin_ns, {}, begin_of);
  if (after == thread->second.begin()) return no_index;
  const std::uint32_t launch = *std::prev(after);
  return given.call_begin_ns <= region(launch).end_ns ? launch : no_index;
}

void DecidingLaunches::add_recording(Spans& spans) const {
  for (std::uint32_t l = 0; l < launches_.size(); ++l) {
    if (launches_[l].first == no_index || !waits_only_for_recording(l)) continue;
    const TraceCommand& first = trace_.commands()[launches_[l].first];
    const std::uint64_t started = launches_[l].started_ns;
    spans.emplace_back(region(l).begin_ns, first.call_begin_ns);
    spans.emplace_back(started ? started : first.call_end_ns, region(l).end_ns);
  }
}

}  // namespace reel::analysis
