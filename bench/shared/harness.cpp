#include "harness.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bench {
namespace {

double now_ns(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// CPU time is that of all threads of the process: a driver's workers are part of the price.
Spent turn(const Mode& mode, std::uint64_t passes) {
  const Spent begin = spent_so_far();
  mode.run(passes);
  const Spent end = spent_so_far();
  return {end.cpu_ns - begin.cpu_ns, end.wall_ns - begin.wall_ns};
}

// How many passes fill a turn, found by doubling; the first pass warms up caches and compilers.
std::uint64_t passes_for(const Mode& mode, double batch_ns, std::uint64_t& total) {
  turn(mode, 1);
  ++total;
  for (std::uint64_t passes = 1;; passes *= 2) {
    const Spent sample = turn(mode, passes);
    total += passes;
    if (sample.wall_ns < batch_ns / 4) continue;
    const double wanted = batch_ns / (sample.wall_ns / static_cast<double>(passes));
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(wanted)));
  }
}

std::vector<double> ratios(const std::vector<double>& values, const std::vector<double>& base) {
  std::vector<double> result(values.size());
  std::transform(values.begin(), values.end(), base.begin(), result.begin(),
                 [](double value, double one) { return value / one; });
  return result;
}

std::size_t place_of(const Group& group, const std::string& name) {
  const auto found = std::find_if(group.modes.begin(), group.modes.end(),
                                  [&](const Mode& mode) { return mode.name == name; });
  return static_cast<std::size_t>(found - group.modes.begin());
}

}  // namespace

Spent spent_so_far() { return {now_ns(CLOCK_PROCESS_CPUTIME_ID), now_ns(CLOCK_MONOTONIC)}; }

Quartiles quartiles(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - std::floor(place));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

GroupResult measure(const Group& group, const HarnessOptions& options) {
  const std::size_t count = group.modes.size();
  GroupResult result{group.device, group.name, group.nodes, std::vector<ModeResult>(count)};
  std::vector<std::uint64_t> passes(count);
  for (std::size_t m = 0; m < count; ++m)
    passes[m] = passes_for(group.modes[m], options.batch_ms * 1e6, result.modes[m].passes);

  for (const Mode& mode : group.modes)
    if (mode.spent) mode.spent();                            // forget the warm-up
  std::vector<std::vector<double>> cpu(count), wall(count);  // ns per node, by mode and round
  for (int round = 0; round < options.rounds; ++round)
    for (std::size_t place = 0; place < count; ++place) {
      const std::size_t m = (place + static_cast<std::size_t>(round)) % count;
      Spent sample = turn(group.modes[m], passes[m]);
      if (group.modes[m].spent) sample = group.modes[m].spent();
      result.modes[m].passes += passes[m];
      const double nodes = static_cast<double>(passes[m] * group.nodes);
      cpu[m].push_back(sample.cpu_ns / nodes);
      wall[m].push_back(sample.wall_ns / nodes);
    }

  for (std::size_t m = 0; m < count; ++m) {
    const Mode& mode = group.modes[m];
    ModeResult& out = result.modes[m];
    out.name = mode.name;
    if (mode.note) out.note = mode.note();
    if (mode.figures) out.figures = mode.figures();
    out.cpu_ns = quartiles(cpu[m]);
    out.wall_ns = quartiles(wall[m]);
    out.cpu_ratio = quartiles(ratios(cpu[m], cpu[0]));
    out.wall_ratio = quartiles(ratios(wall[m], wall[0]));
    out.wrong = mode.check(out.passes);
    for (const Aim& aim : mode.aims) {
      const auto& times = aim.clock == Clock::cpu ? cpu : wall;
      if (aim.against.empty()) {
        out.verdicts.push_back({aim, quartiles(times[m])});
        continue;
      }
      // An aim against a mode that this driver doesn't have is met by nobody and missed by nobody.
      const std::size_t against = place_of(group, aim.against);
      if (against == count) continue;
      out.verdicts.push_back({aim, quartiles(ratios(times[m], times[against]))});
    }
  }
  return result;
}

}  // namespace bench
