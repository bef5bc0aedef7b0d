#include "analysis/diff/side.hpp"

#include <algorithm>

namespace reel::analysis {

namespace {

std::uint64_t spread(std::vector<std::uint64_t> values) {
  std::ranges::sort(values);
  return (values[values.size() * 3 / 4] - values[values.size() / 4]) / 2;
}

}  // namespace

Side::Side(const Trace& trace, const Report& report) : trace_(trace), report_(report) {
  if (report.passes.size() < 2)
    passes_.push_back(time_of(0, static_cast<std::uint32_t>(trace.commands().size())));
  else
    for (const Pass& pass : report.passes) passes_.push_back(time_of(pass.first, pass.end));
  if (passes_.size() > 2) warm_from_ = 1;
  std::vector<std::size_t> order;
  for (std::size_t p = warm_from_; p < passes_.size(); ++p) order.push_back(p);
  std::ranges::stable_sort(order, {}, [&](std::size_t p) { return passes_[p].total_ns; });
  typical_ = order[order.size() / 2];
}

RowKey Side::key_of(std::uint32_t c) const {
  const TraceWork& work = trace_.work_of(trace_.commands()[c]);
  if (work.kernel != no_index) return {trace_.text(work.scope), trace_.kernels()[work.kernel].name};
  std::string name = to_string(work.kind);
  if (work.label) name += " '" + trace_.text(work.label) + "'";
  return {trace_.text(work.scope), name};
}

PassTime Side::time_of(std::uint32_t first, std::uint32_t end) const {
  PassTime pass;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_start;
  std::vector<RowTime*> row_of;
  row_of.reserve(end - first);
  for (std::uint32_t c = first; c < end; ++c) {
    const TraceCommand& command = trace_.commands()[c];
    const WorkKind kind = trace_.work_of(command).kind;
    // A launch is its nodes; what takes no device time is no row.
    if (kind == WorkKind::launch || kind == WorkKind::barrier) {
      row_of.push_back(nullptr);
      continue;
    }
    RowTime& row = pass.rows[key_of(c)];
    row.commands.push_back(c);
    row_of.push_back(&row);
    if (command.has_run_times() && command.ended_ns >= command.started_ns)
      by_start.emplace_back(command.started_ns, c);
  }
  if (by_start.empty()) return pass;
  std::ranges::sort(by_start);
  // Where commands overlap, the time belongs to the one that began first.
  std::uint64_t until = by_start[0].first;
  for (const auto& [start, c] : by_start) {
    const std::uint64_t ended = trace_.commands()[c].ended_ns;
    if (ended <= until) continue;
    const std::uint64_t own = ended - std::max(start, until);
    row_of[c - first]->ns += own;
    pass.busy_ns += own;
    until = ended;
  }
  pass.total_ns = until - by_start[0].first;
  return pass;
}

DiffSide Side::numbers() const {
  DiffSide side;
  side.total_ns = typical().total_ns;
  side.busy_ns = typical().busy_ns;
  side.idle_ns = side.total_ns - side.busy_ns;
  side.passes = static_cast<std::uint32_t>(passes_.size() - warm_from_);
  side.peak_bytes = report_.memory.peak_bytes;
  for (const auto& [key, row] : typical().rows) side.commands += row.commands.size();
  std::vector<std::uint64_t> totals;
  for (std::size_t p = warm_from_; p < passes_.size(); ++p) totals.push_back(passes_[p].total_ns);
  if (totals.size() > 2 && side.total_ns)
    side.noise = static_cast<double>(spread(totals)) / static_cast<double>(side.total_ns);
  return side;
}

std::optional<std::uint64_t> Side::noise_ns(const RowKey& key) const {
  std::vector<std::uint64_t> times;
  for (std::size_t p = warm_from_; p < passes_.size(); ++p)
    if (const auto row = passes_[p].rows.find(key); row != passes_[p].rows.end())
      times.push_back(row->second.ns);
  if (times.size() < 3) return std::nullopt;
  return spread(std::move(times));
}

}  // namespace reel::analysis
