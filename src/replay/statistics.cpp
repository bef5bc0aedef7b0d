#include "replay/statistics.hpp"

#include <algorithm>
#include <map>

#include "analysis/time/device_work.hpp"

namespace reel::rerun {

namespace {

Spread spread_of_one(double value) {
  Spread spread;
  spread.runs = 1;
  spread.min = spread.median = spread.p95 = spread.max = value;
  return spread;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  Spread spread;
  if (values.empty()) return spread;
  if (values.size() == 1) return spread_of_one(values[0]);
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {  // between neighbours, in a straight line
    const double place = part * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (place - static_cast<double>(low)) * (values[high] - values[low]);
  };
  spread.runs = static_cast<std::uint32_t>(values.size());
  spread.min = values.front();
  spread.median = at(0.5);
  spread.p95 = at(0.95);
  spread.max = values.back();
  spread.noise = spread.median > 0 ? (at(0.75) - at(0.25)) / 2 / spread.median : 0;
  return spread;
}

void Timings::add(const RunTimes& times) {
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  auto& run = runs_.emplace_back(times.of_command.size());
  for (std::size_t c = 0; c < times.of_command.size(); ++c) {
    const RunTimes::Time& time = times.of_command[c];
    if (!time.begin_ns || time.end_ns < time.begin_ns) continue;
    run[c] = std::max<std::uint64_t>(time.end_ns - time.begin_ns, 1);
    if (!analysis::is_device_work(trace_, trace_.work_of(trace_.commands()[c]))) continue;
    begin = std::min(begin, time.begin_ns);
    end = std::max(end, time.end_ns);
  }
  spans_.push_back(end > begin ? static_cast<double>(end - begin) : 0);
}

std::vector<CommandTiming> Timings::commands(std::uint32_t from, std::uint32_t to) const {
  const TraceCommands& commands = trace_.commands();
  std::vector<CommandTiming> list;
  if (from < commands.size())
    list.reserve(std::min<std::size_t>(commands.size() - from, std::size_t{to} - from + 1));
  std::vector<double> values;
  for (std::uint32_t c = from; c < commands.size() && c <= to; ++c) {
    values.clear();
    for (const auto& run : runs_)
      if (run[c]) values.push_back(static_cast<double>(run[c]));
    if (values.empty()) continue;
    const TraceCommand command = commands[c];
    CommandTiming timing{
        .command = c,
        .recorded_ns = {},
        .replayed = values.size() == 1 ? spread_of_one(values[0]) : spread_of(values)};
    if (command.has_run_times()) timing.recorded_ns = command.run_ns();
    list.push_back(timing);
  }
  return list;
}

std::vector<KernelTiming> Timings::kernels(std::uint32_t from, std::uint32_t to) const {
  struct Sum {
    std::vector<double> runs;
    std::uint32_t commands = 0;
    std::uint64_t recorded = 0;
    bool is_recorded = true;
  };
  std::map<std::uint32_t, Sum> sums;
  const TraceCommands& commands = trace_.commands();
  const std::vector<TraceWork>& works = trace_.works();
  Sum* last = nullptr;  // most commands run the kernel of the one before them
  std::uint32_t last_kernel = no_index;
  for (std::uint32_t c = from; c < commands.size() && c <= to; ++c) {
    const TraceCommand command = commands[c];
    const TraceWork& work = works[command.work];
    if (work.kind != WorkKind::dispatch || left_out_.contains(c)) continue;
    if (!last || last_kernel != work.kernel) {
      last = &sums[last_kernel = work.kernel];
      last->runs.resize(runs_.size());
    }
    Sum& sum = *last;
    ++sum.commands;
    sum.is_recorded &= command.has_run_times();
    sum.recorded += command.run_ns();
    for (std::size_t r = 0; r < runs_.size(); ++r) sum.runs[r] += static_cast<double>(runs_[r][c]);
  }
  std::vector<KernelTiming> list;
  for (auto& [kernel, sum] : sums) {
    KernelTiming timing{.kernel = kernel,
                        .commands = sum.commands,
                        .recorded_ns = {},
                        .replayed = spread_of(std::move(sum.runs)),
                        .original = {}};
    if (sum.is_recorded) timing.recorded_ns = sum.recorded;
    list.push_back(timing);
  }
  std::stable_sort(list.begin(), list.end(), [](const KernelTiming& a, const KernelTiming& b) {
    return a.replayed.median > b.replayed.median;
  });
  return list;
}

}  // namespace reel::rerun
