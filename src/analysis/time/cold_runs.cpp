#include "analysis/time/cold_runs.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "document/trace/ranges.hpp"

namespace reel::analysis {

namespace {

// Numbers of works that are alike, for each work; no_index: it is no dispatch.
struct Likeness {
  std::vector<std::uint32_t> of_work;
  std::size_t count = 0;
};

Likeness likeness_of(const Trace& trace) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::uint32_t, std::uint64_t>;
  std::map<Key, std::uint32_t> numbers;
  std::vector<std::uint32_t> list(trace.works().size(), no_index);
  for (std::size_t w = 0; w < list.size(); ++w) {
    const TraceWork& work = trace.works()[w];
    if (work.kind != WorkKind::dispatch || work.kernel == no_index) continue;
    std::uint64_t bytes = 0;
    for_each_range(trace, work,
                   [&](const TraceArgument& range, Access) { bytes += range.size_bytes; });
    const Dim3 items = work.all_items(), group = work.group_size;
    const Key key{work.kernel, items.x, items.y, items.z, group.x, group.y, group.z, bytes};
    list[w] = numbers.emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
  }
  return {std::move(list), numbers.size()};
}

// Runs that are alike, in order, as far as they are needed to judge the first.
struct Alike {
  std::uint64_t first_ns = 0, least_later_ns = ~std::uint64_t{0};
  std::vector<std::uint32_t> commands = {};  // only where the first may be cold
  bool may_be_cold() const {
    return least_later_ns < first_ns && is_far_longer(first_ns, least_later_ns);
  }
};

std::uint64_t lower_median(std::vector<std::uint64_t> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace

ColdRuns::ColdRuns(const Trace& trace) : kernels_(trace.kernels().size()) {
  // No structured binding: clang 14 can't capture one.
  const Likeness alikes = likeness_of(trace);
  const std::vector<std::uint32_t>& likeness = alikes.of_work;
  // Devices differ, so what is alike is a likeness on one of them.
  const std::uint64_t devices = trace.devices().size() + 1;
  std::vector<Alike> alike(alikes.count * devices);
  const auto runs_like = [&](const TraceCommand& command) -> Alike& {
    const std::uint32_t device = trace.streams()[command.stream].device;
    return alike[likeness[command.work] * devices + (device == no_index ? devices - 1 : device)];
  };
  const auto for_each_run = [&](auto&& visit) {
    for (std::uint32_t c = 0; c < trace.commands().size(); ++c)
      if (const TraceCommand command = trace.commands()[c]; likeness[command.work] != no_index &&
                                                            command.has_run_times() &&
                                                            command.ended_ns >= command.started_ns)
        visit(c, command);
  };
  for_each_run([&](std::uint32_t, const TraceCommand& command) {
    Alike& runs = runs_like(command);
    if (runs.first_ns == 0)
      runs.first_ns = std::max<std::uint64_t>(command.run_ns(), 1);
    else
      runs.least_later_ns = std::min(runs.least_later_ns, command.run_ns());
    WarmUp& kernel = kernels_[trace.works()[command.work].kernel];
    kernel.other_ns += command.run_ns();
    ++kernel.other_runs;
  });
  if (std::ranges::none_of(alike, &Alike::may_be_cold)) return;
  is_cold_.resize(trace.commands().size());
  for_each_run([&](std::uint32_t c, const TraceCommand& command) {
    if (Alike& runs = runs_like(command); runs.may_be_cold()) runs.commands.push_back(c);
  });
  for (const Alike& runs : alike) {
    if (runs.commands.empty()) continue;
    std::vector<std::uint64_t> times;
    for (const std::uint32_t c : runs.commands) times.push_back(trace.commands()[c].run_ns());
    const std::uint64_t usual_ns = lower_median(times);
    WarmUp& kernel = kernels_[trace.work_of(trace.commands()[runs.commands[0]]).kernel];
    for (std::size_t i = 0; i < times.size() && is_far_longer(times[i], usual_ns); ++i) {
      is_cold_[runs.commands[i]] = true;
      kernel.cold_ns += times[i];
      kernel.other_ns -= times[i];
      ++kernel.cold_runs;
      --kernel.other_runs;
      total_ns_ += times[i];
      if (times[i] <= kernel.longest_ns) continue;
      kernel.longest = runs.commands[i];
      kernel.longest_ns = times[i];
      kernel.like_it_ns = usual_ns;
    }
  }
}

}  // namespace reel::analysis
