// How often each kernel ran, and how long.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "document/trace/ranges.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

namespace {

// The smallest time that this share of all runs does not exceed. Puts it in its place: two of a
// million take a third of the time that sorting them does.
std::uint64_t quantile(std::vector<std::uint64_t>& times, double share) {
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(times.size()));
  const auto place = times.begin() + static_cast<std::ptrdiff_t>(std::min(rank, times.size() - 1));
  std::ranges::nth_element(times, place);
  return *place;
}

double variation_of(const std::vector<std::uint64_t>& times, double mean) {
  if (times.size() < 2 || mean <= 0) return 0;
  double squares = 0;
  for (const std::uint64_t time : times)
    squares += (static_cast<double>(time) - mean) * (static_cast<double>(time) - mean);
  return std::sqrt(squares / static_cast<double>(times.size() - 1)) / mean;
}

}  // namespace

std::vector<KernelUsage> find_kernel_usage(const Trace& trace) {
  std::vector<KernelUsage> usages(trace.kernels().size());
  std::vector<std::vector<std::uint64_t>> times(usages.size());
  // Equal commands share a work, so sizes are added up once for each of those.
  std::vector<std::uint64_t> bytes_of_work(trace.works().size());
  std::vector<std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                                  std::uint32_t, std::uint32_t>>>
      shapes(usages.size());
  for (std::size_t w = 0; w < trace.works().size(); ++w) {
    const TraceWork& work = trace.works()[w];
    if (work.kind != WorkKind::dispatch || work.kernel == no_index) continue;
    bytes_of_work[w] = given_bytes(trace, work);
    const Dim3 items = work.all_items();
    shapes[work.kernel].insert(
        {items.x, items.y, items.z, work.group_size.x, work.group_size.y, work.group_size.z});
  }
  std::vector<std::uint32_t> last_interval(usages.size(), no_index);
  const TraceCommands& commands = trace.commands();
  const std::vector<TraceWork>& works = trace.works();
  for (std::uint32_t c = 0; c < commands.size(); ++c) {
    const TraceCommand command = commands[c];
    const TraceWork& work = works[command.work];
    if (work.kind != WorkKind::dispatch || work.kernel == no_index) continue;
    KernelUsage& usage = usages[work.kernel];
    ++usage.count;
    if (usage.first == no_index) usage.first = c;
    usage.last = c;
    if (!command.has_run_times()) {
      const auto interval = trace.interval_of(c);
      if (!interval) continue;
      ++usage.together;
      if (std::exchange(last_interval[work.kernel], *interval) != *interval)
        usage.together_ns += trace.intervals()[*interval].size_ns();
      continue;
    }
    times[work.kernel].push_back(command.run_ns());
    usage.total_ns += command.run_ns();
    usage.bound_bytes += bytes_of_work[command.work];
  }
  for (std::uint32_t k = 0; k < usages.size(); ++k) {
    KernelUsage& usage = usages[k];
    usage.kernel = k;
    usage.timed = times[k].size();
    usage.shapes = static_cast<std::uint32_t>(shapes[k].size());
    if (times[k].empty()) continue;
    usage.mean_ns = usage.total_ns / usage.timed;
    const auto [least, most] = std::ranges::minmax(times[k]);
    usage.min_ns = least;
    usage.max_ns = most;
    usage.p50_ns = quantile(times[k], 0.5);
    usage.p95_ns = quantile(times[k], 0.95);
    usage.variation = variation_of(
        times[k], static_cast<double>(usage.total_ns) / static_cast<double>(usage.timed));
  }
  std::ranges::stable_sort(usages, std::ranges::greater{}, [](const KernelUsage& usage) {
    return std::pair(usage.total_ns, usage.together_ns);
  });
  return usages;
}

}  // namespace reel::analysis
