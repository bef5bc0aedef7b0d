#include "analysis/diff/side.hpp"

#include <algorithm>
#include <unordered_map>

#include "analysis/time/timed_runs.hpp"

namespace reel::analysis {

Side::Side(const Trace& trace, const Report& report) : trace_(trace), report_(report) {
  const auto all = static_cast<std::uint32_t>(trace.commands().size());
  const bool is_cut = was_cut(trace);
  // A single pass stands for the document where it is most of it, or where nothing else is whole.
  const bool has_passes = report.passes.size() > 1 ||
                          (report.passes.size() == 1 &&
                           (is_cut || (report.passes[0].end - report.passes[0].first) * 2 >= all));
  if (has_passes)
    for (const Pass& pass : report.passes) passes_.push_back(time_of(pass.first, pass.end));
  else
    passes_.push_back(time_of(0, all));
  has_whole_pass_ = has_passes || !is_cut;
  for (std::size_t p = 1; p < passes_.size(); ++p)
    if (passes_[p - 1].ended_ns && passes_[p].started_ns > passes_[p - 1].ended_ns)
      passes_[p].between_ns = passes_[p].started_ns - passes_[p - 1].ended_ns;
  add_latencies();
  if (passes_.size() > 2) warm_from_ = 1;
  std::vector<std::size_t> order;
  for (std::size_t p = warm_from_; p < passes_.size(); ++p) order.push_back(p);
  std::ranges::stable_sort(order, {}, [&](std::size_t p) { return passes_[p].total_ns; });
  typical_ = order[order.size() / 2];
}

void Side::add_latencies() {
  for (const Gap& gap : report_.activity.gaps) {
    // The first pass that starts after the gap began, if the one before it had ended.
    const auto next = std::ranges::upper_bound(passes_, gap.begin_ns, {}, &PassTime::started_ns);
    if (next == passes_.begin() || next == passes_.end()) continue;
    if (gap.begin_ns < std::prev(next)->ended_ns) continue;
    if (gap.cause == IdleCause::wakeup) next->woken_late_ns += gap.size_ns();
    if (gap.cause == IdleCause::launch) next->launching_ns += gap.size_ns();
  }
}

RowKey Side::key_of(const TraceWork& work) const {
  if (work.kernel != no_index) return {trace_.text(work.scope), trace_.kernels()[work.kernel].name};
  std::string name = to_string(work.kind);
  if (work.label) name += " '" + trace_.text(work.label) + "'";
  return {trace_.text(work.scope), name};
}

PassTime Side::time_of(std::uint32_t first, std::uint32_t end) const {
  PassTime pass;
  struct Run {
    std::uint64_t started_ns, ended_ns;
    std::uint32_t first;
    RowTime* row;  // null: of several rows, of which nobody knows what each took
  };
  std::vector<Run> by_start;
  std::vector<RowTime*> row_of;
  row_of.reserve(end - first);
  std::unordered_map<std::uint32_t, RowTime*> row_of_work;  // names are made once for each work
  for (std::uint32_t c = first; c < end; ++c) {
    const TraceCommand& command = trace_.commands()[c];
    const TraceWork& work = trace_.work_of(command);
    pass.enqueued += command.launch == no_index;
    pass.launches += work.kind == WorkKind::launch;
    // A launch is its nodes; what takes no device time is no row.
    if (work.kind == WorkKind::launch || work.kind == WorkKind::barrier) {
      row_of.push_back(nullptr);
      continue;
    }
    ++pass.commands;
    RowTime*& row = row_of_work[command.work];
    if (!row) row = &pass.rows[key_of(work)];
    row->commands.push_back(c);
    row_of.push_back(row);
    if (is_device_work(trace_, work) && command.has_run_times() &&
        command.ended_ns >= command.started_ns)
      by_start.push_back({command.started_ns, command.ended_ns, c, row});
  }
  const auto& intervals = trace_.intervals();
  for (auto i = std::ranges::lower_bound(intervals, first, {}, &TraceInterval::first);
       i != intervals.end() && i->first + i->count <= end; ++i) {
    if (works_of(trace_, *i).count == 0) continue;
    RowTime* row = nullptr;
    bool is_of_one = true;
    for (std::uint32_t c = i->first; c < i->first + i->count; ++c)
      if (RowTime* const its = row_of[c - first]) {
        is_of_one = is_of_one && (!row || row == its);
        row = its;
      }
    by_start.push_back({i->begin_ns, i->end_ns, i->first, is_of_one ? row : nullptr});
  }
  if (by_start.empty()) return pass;
  std::ranges::sort(by_start, {},
                    [](const Run& run) { return std::pair(run.started_ns, run.first); });
  // Where commands overlap, the time belongs to the one that began first.
  std::uint64_t until = by_start[0].started_ns;
  for (const Run& run : by_start) {
    if (run.ended_ns <= until) continue;
    const std::uint64_t own = run.ended_ns - std::max(run.started_ns, until);
    if (run.row) run.row->ns += own;
    pass.busy_ns += own;
    until = run.ended_ns;
  }
  pass.started_ns = by_start[0].started_ns;
  pass.ended_ns = until;
  pass.total_ns = pass.ended_ns - pass.started_ns;
  return pass;
}

DiffSide Side::numbers() const {
  DiffSide side;
  const Times all = totals();
  side.total_ns = median_of(all);
  side.busy_ns = median_of(times([](const PassTime& pass) { return pass.busy_ns; }));
  side.idle_ns =
      median_of(times([](const PassTime& pass) { return pass.total_ns - pass.busy_ns; }));
  side.passes = static_cast<std::uint32_t>(all.size());
  side.peak_bytes = report_.memory.peak_bytes;
  side.commands = typical().commands;
  side.enqueued = typical().enqueued;
  side.launches = typical().launches;
  side.is_cut = was_cut(trace_);
  if (side.total_ns)
    side.noise = static_cast<double>(spread_of(all)) / static_cast<double>(side.total_ns);
  return side;
}

Times Side::between_times() const {
  Times list;
  for (std::size_t p = std::max<std::size_t>(warm_from_, 1); p < passes_.size(); ++p)
    list.push_back(passes_[p].between_ns);
  return list;
}

Times Side::row_times(const RowKey& key) const {
  return times([&](const PassTime& pass) {
    const auto row = pass.rows.find(key);
    return row == pass.rows.end() ? 0 : row->second.ns;
  });
}

Times Side::run_times(const RowKey& key) const {
  Times list;
  for (std::size_t p = warm_from_; p < passes_.size(); ++p)
    if (const auto row = passes_[p].rows.find(key); row != passes_[p].rows.end())
      list.push_back(row->second.ns / row->second.commands.size());
  return list;
}

std::map<std::string, Times> Side::kernel_times() const {
  std::map<std::string, Times> times;
  for (std::size_t p = warm_from_; p < passes_.size(); ++p)
    for (const auto& [key, row] : passes_[p].rows) {
      Times& list = times[key.second];
      list.resize(passes_.size() - warm_from_, 0);
      list[p - warm_from_] += row.ns;
    }
  return times;
}

std::uint64_t Side::idle_ns(IdleCause cause) const {
  Times list(passes_.size(), 0);
  for (const Gap& gap : report_.activity.gaps) {
    if (gap.cause != cause) continue;
    // The last pass that started before the gap began.
    const auto next = std::ranges::upper_bound(passes_, gap.begin_ns, {}, &PassTime::started_ns);
    if (next == passes_.begin() || gap.begin_ns >= std::prev(next)->ended_ns) continue;
    list[static_cast<std::size_t>(next - passes_.begin()) - 1] += gap.size_ns();
  }
  list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(warm_from_));
  return median_of(list);
}

}  // namespace reel::analysis
