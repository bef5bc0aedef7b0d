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

// What each round found, in ns per node, by mode.
struct Samples {
  std::vector<std::vector<double>> cpu, wall;
  explicit Samples(std::size_t modes) : cpu(modes), wall(modes) {}

  std::vector<Verdict> verdicts_of(const Group& group, std::size_t m) const {
    std::vector<Verdict> verdicts;
    for (const Aim& aim : group.modes[m].aims) {
      const auto& times = aim.clock == Clock::cpu ? cpu : wall;
      std::vector<double> found = times[m];
      if (!aim.against.empty()) {
        // An aim against a mode that this driver doesn't have is met and missed by nobody.
        const std::size_t against = place_of(group, aim.against);
        if (against == group.modes.size()) continue;
        found = ratios(times[m], times[against]);
      }
      verdicts.push_back(verdict_of(aim, found));
    }
    return verdicts;
  }
  bool all_decided(const Group& group) const {
    for (std::size_t m = 0; m < group.modes.size(); ++m)
      for (const Verdict& verdict : verdicts_of(group, m))
        if (!verdict.decided()) return false;
    return true;
  }
};

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

// By the sign test: the ranks that so many tosses of a coin leave out on both sides. Who looks
// again and again, and stops once it is decided, errs at each look.
Interval median_interval(std::vector<double> values) {
  constexpr double outside = 0.005 / most_looks;  // on each side
  const auto count = static_cast<double>(values.size());
  double beyond = 0, probability = std::exp2(-count);  // of no value below the median
  std::size_t rank = 0;                                // values that may be left out on one side
  for (; beyond + probability <= outside; ++rank) {
    beyond += probability;
    const auto next = static_cast<double>(rank);
    probability *= (count - next) / (next + 1);
  }
  if (rank == 0) return {-INFINITY, INFINITY};
  std::sort(values.begin(), values.end());
  return {values[rank - 1], values[values.size() - rank]};
}

Verdict verdict_of(const Aim& aim, const std::vector<double>& values) {
  return {aim, quartiles(values), median_interval(values)};
}

void measure_more_while_open(const HarnessOptions& options, const std::function<void()>& round,
                             const std::function<bool()>& all_decided) {
  int rounds = 0;
  for (; rounds < options.rounds; ++rounds) round();
  const double until_ns = spent_so_far().wall_ns + options.deciding_seconds * 1e9;
  const int most = std::min(options.rounds * most_looks, HarnessOptions::most_rounds);
  const auto has_time = [&] { return rounds < most && spent_so_far().wall_ns < until_ns; };
  // Looked at after some rounds only: who looks after each finds what he looks for sooner or later.
  while (has_time() && !all_decided())
    for (const int next = rounds + options.rounds; rounds < next && has_time(); ++rounds) round();
}

GroupResult measure(const Group& group, const HarnessOptions& options) {
  const std::size_t count = group.modes.size();
  GroupResult result{group.device, group.name, group.nodes, std::vector<ModeResult>(count)};
  std::vector<std::uint64_t> passes(count);
  for (std::size_t m = 0; m < count; ++m)
    passes[m] = passes_for(group.modes[m], options.batch_ms * 1e6, result.modes[m].passes);

  for (const Mode& mode : group.modes)
    if (mode.spent) mode.spent();  // forget the warm-up
  Samples samples(count);
  measure_more_while_open(
      options,
      [&] {
        for (std::size_t place = 0; place < count; ++place) {
          const std::size_t m = (place + static_cast<std::size_t>(result.rounds)) % count;
          Spent sample = turn(group.modes[m], passes[m]);
          if (group.modes[m].spent) sample = group.modes[m].spent();
          result.modes[m].passes += passes[m];
          const double nodes = static_cast<double>(passes[m] * group.nodes);
          samples.cpu[m].push_back(sample.cpu_ns / nodes);
          samples.wall[m].push_back(sample.wall_ns / nodes);
        }
        ++result.rounds;
      },
      [&] { return samples.all_decided(group); });

  for (std::size_t m = 0; m < count; ++m) {
    const Mode& mode = group.modes[m];
    ModeResult& out = result.modes[m];
    out.name = mode.name;
    if (mode.note) out.note = mode.note();
    if (mode.figures) out.figures = mode.figures();
    out.cpu_ns = quartiles(samples.cpu[m]);
    out.wall_ns = quartiles(samples.wall[m]);
    out.cpu_ratio = quartiles(ratios(samples.cpu[m], samples.cpu[0]));
    out.wall_ratio = quartiles(ratios(samples.wall[m], samples.wall[0]));
    out.wrong = mode.check(out.passes);
    out.verdicts = samples.verdicts_of(group, m);
  }
  return result;
}

}  // namespace bench
