#include "replay/script/unordered.hpp"

#include <algorithm>
#include <queue>

#include "document/trace/ranges.hpp"
#include "reel/analysis.hpp"
#include "reel/dependency_sets.hpp"

namespace reel {

namespace rerun {

namespace {

// With the first bytes that both touch.
Race race_of(const Trace& trace, std::uint32_t earlier, std::uint32_t later) {
  Race race{.first = earlier, .second = later};
  const auto each = [&](std::uint32_t c, auto&& visit) {
    for_each_range(trace, trace.work_of(trace.commands()[c]), visit);
  };
  each(earlier, [&](const TraceArgument& a, Access first) {
    each(later, [&](const TraceArgument& b, Access second) {
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

// OpenCL has no word for what a kernel does with a buffer, nor with which part of it: all that a
// kernel is given counts as touched, and two kernels that share a buffer may well use different
// halves of it.
bool is_certain(const Trace& trace, const Race& race) {
  const auto api = trace.facts().find("api");
  if (api == trace.facts().end() || api->second.find("opencl") == std::string::npos) return true;
  const auto is_exact = [&](std::uint32_t c) {
    const WorkKind kind = trace.work_of(trace.commands()[c]).kind;
    return kind != WorkKind::dispatch && kind != WorkKind::unknown;
  };
  return is_exact(race.first) && is_exact(race.second);
}

// Which of the two was done before the other began, on one device's clock; 0: neither.
int earlier_by_stamps(const Trace& trace, std::uint32_t first, std::uint32_t second) {
  const TraceCommand a = trace.commands()[first], b = trace.commands()[second];
  if (!a.has_run_times() || !b.has_run_times()) return 0;
  if (trace.streams()[a.stream].device != trace.streams()[b.stream].device) return 0;
  if (a.ended_ns <= b.started_ns) return -1;
  return b.ended_ns <= a.started_ns ? 1 : 0;
}

}  // namespace

std::vector<std::uint32_t> sequence_of(const Trace& trace, const SequenceWanted& wanted) {
  const auto count = static_cast<std::uint32_t>(trace.commands().size());
  std::vector<std::vector<std::uint32_t>> next(count);
  std::vector<std::uint32_t> missing(count), last(trace.streams().size(), no_index);
  const auto add = [&](std::uint32_t before, std::uint32_t after) {
    next[before].push_back(after);
    ++missing[after];
  };
  for (std::uint32_t c = 0; c < count; ++c) {
    const std::uint32_t stream = trace.commands()[c].stream;
    if (last[stream] != no_index) add(last[stream], c);
    last[stream] = c;
  }
  for (const TraceOrder& order : trace.orders())
    if (!wanted.without.contains({order.command, order.after})) add(order.after, order.command);
  for (const KeptOrder::Wait& wait : wanted.also) add(wait.after, wait.command);
  const auto comes_later = [&](std::uint32_t a, std::uint32_t b) {
    return wanted.rank.empty() ? a > b : wanted.rank[a] > wanted.rank[b];
  };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(comes_later)> ready(
      comes_later);
  for (std::uint32_t c = 0; c < count; ++c)
    if (!missing[c]) ready.push(c);
  std::vector<std::uint32_t> sequence;
  sequence.reserve(count);
  while (!ready.empty()) {
    const std::uint32_t c = ready.top();
    ready.pop();
    sequence.push_back(c);
    for (const std::uint32_t after : next[c])
      if (--missing[after] == 0) ready.push(after);
  }
  if (sequence.size() != count) sequence.clear();
  return sequence;
}

std::vector<Race> find_unordered(const Trace& trace, std::size_t most) {
  std::vector<Race> found;
  // One stream keeps all in order but nodes of a graph: most documents, without a look at bytes.
  const bool has_nodes = std::ranges::any_of(
      trace.commands(), [](const TraceCommand& c) { return c.launch != no_index; });
  if (trace.streams().size() < 2 && !has_nodes) return found;
  const analysis::Dependencies dependencies = analysis::find_dependencies(trace);
  const analysis::DependencySets sets(dependencies.sets);
  // One by one: stamps may put some commands of a set before the other, and some after.
  sets.for_each_pair(dependencies.edges, analysis::DependencyKind::missing,
                     [&](std::uint32_t earlier, std::uint32_t later) {
                       Race race = race_of(trace, earlier, later);
                       race.is_certain = is_certain(trace, race);
                       race.is_kept = earlier_by_stamps(trace, earlier, later) != 0;
                       found.push_back(race);
                       return found.size() < most;
                     });
  return found;
}

KeptOrder kept_order(const Trace& trace, const std::vector<Race>& unordered) {
  KeptOrder kept;
  bool is_turned = false;
  for (const Race& race : unordered) {
    const int earlier = earlier_by_stamps(trace, race.first, race.second);
    if (earlier < 0) kept.waits.push_back({race.second, race.first});
    if (earlier > 0) kept.waits.push_back({race.first, race.second});
    is_turned |= earlier > 0;
  }
  if (is_turned) kept.sequence = sequence_of(trace, {.also = kept.waits});
  if (is_turned && kept.sequence.empty())
    std::erase_if(kept.waits,
                  [](const KeptOrder::Wait& wait) { return wait.after > wait.command; });
  std::sort(kept.waits.begin(), kept.waits.end(),
            [](const auto& a, const auto& b) { return a.command < b.command; });
  return kept;
}

}  // namespace rerun

std::vector<Race> find_races(const Trace& trace) {
  constexpr std::size_t most_races = 100;
  return rerun::find_unordered(trace, most_races);
}

}  // namespace reel
