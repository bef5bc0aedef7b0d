// Which commands touch the same bytes with nothing to put them in order.
#include <algorithm>

#include "document/ranges.hpp"
#include "reel/analysis.hpp"
#include "reel/replay.hpp"

namespace reel {

namespace {

constexpr std::size_t most_races = 100;

// With the first bytes that both touch.
Race race_of(const Trace& trace, const Dependency& missing) {
  Race race{.first = missing.from, .second = missing.to};
  const auto each = [&](std::uint32_t c, auto&& visit) {
    for_each_range(trace, trace.work_of(trace.commands()[c]), visit);
  };
  each(missing.from, [&](const TraceArgument& a, Access first) {
    each(missing.to, [&](const TraceArgument& b, Access second) {
      if (a.buffer != b.buffer || !(writes(first) || writes(second))) return;
      const std::uint64_t begin = std::max(a.offset_bytes, b.offset_bytes);
      const std::uint64_t end =
          std::min(a.offset_bytes + a.size_bytes, b.offset_bytes + b.size_bytes);
      if (begin >= end || race.buffer != no_index) return;
      race.buffer = a.buffer;
      race.begin = begin;
      race.end = end;
    });
  });
  return race;
}

}  // namespace

std::vector<Race> find_races(const Trace& trace) {
  std::vector<Race> races;
  for (const Dependency& dependency : find_dependencies(trace)) {
    if (dependency.kind != DependencyKind::missing) continue;
    races.push_back(race_of(trace, dependency));
    if (races.size() == most_races) break;
  }
  return races;
}

}  // namespace reel
