// What repeats: a loop of equal layers, and passes of equal work.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "reel/analysis.hpp"

namespace reel::analysis {

namespace {

// "layer12/mlp" and "layer13/mlp" are the same place of a loop.
std::string without_numbers(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit)
      result += c;
    else if (result.empty() || result.back() != '#')
      result += '#';
  }
  return result;
}

// By text: a number that equal ones share.
std::vector<std::uint32_t> text_identities(const Trace& trace, bool with_numbers) {
  std::unordered_map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> list;
  const auto look_at = [&](std::uint32_t text) {
    if (text >= list.size()) list.resize(text + 1, no_index);
    if (list[text] != no_index) return;
    const std::string& name = trace.text(text);
    list[text] = known
                     .try_emplace(with_numbers ? name : without_numbers(name),
                                  static_cast<std::uint32_t>(known.size()))
                     .first->second;
  };
  for (const TraceWork& work : trace.works()) {
    look_at(work.label);
    look_at(work.scope);
  }
  return list;
}

// A number for each command; equal ones do the same.
std::vector<std::uint32_t> identities(const Trace& trace, bool with_numbers) {
  using Key = std::tuple<WorkKind, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t,
                         std::uint32_t, std::uint32_t>;
  const std::vector<std::uint32_t> texts = text_identities(trace, with_numbers);
  std::map<Key, std::uint32_t> known;
  std::vector<std::uint32_t> of_work;
  of_work.reserve(trace.works().size());
  for (const TraceWork& work : trace.works()) {
    const Key key{work.kind,
                  work.kernel,
                  work.graph,
                  work.all_items().count(),
                  work.group_size.count(),
                  texts[work.label],
                  texts[work.scope]};
    of_work.push_back(
        known.try_emplace(key, static_cast<std::uint32_t>(known.size())).first->second);
  }
  std::vector<std::uint32_t> list;
  list.reserve(trace.commands().size());
  for (const TraceCommand& command : trace.commands()) list.push_back(of_work[command.work]);
  return list;
}

// Distances at which equal commands follow each other, those that occur most first.
std::vector<std::uint32_t> likely_periods(const std::vector<std::uint32_t>& list) {
  std::unordered_map<std::uint32_t, std::uint32_t> last_seen;
  std::unordered_map<std::uint32_t, std::uint64_t> counts;
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    const auto [at, is_new] = last_seen.try_emplace(list[i], i);
    if (!is_new) ++counts[i - at->second];
    at->second = i;
  }
  std::vector<std::uint32_t> periods;
  periods.reserve(counts.size());
  for (const auto& [period, count] : counts) periods.push_back(period);
  std::ranges::sort(periods, [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(counts[b], a) < std::pair(counts[a], b);
  });
  constexpr std::size_t most_tried = 24;
  if (periods.size() > most_tried) periods.resize(most_tried);
  return periods;
}

// Runs of equal blocks of this length.
std::vector<Repetition> runs_of(const std::vector<std::uint32_t>& list, std::uint32_t period) {
  std::vector<Repetition> runs;
  for (std::uint32_t i = 0; i + period < list.size();) {
    std::uint32_t equal = 0;
    while (i + period + equal < list.size() && list[i + equal] == list[i + equal + period]) ++equal;
    const std::uint32_t count = equal / period + 1;
    if (count >= 2) runs.push_back({i, period, count});
    i += count >= 2 ? count * period : equal + 1;
  }
  return runs;
}

std::uint64_t covered(const std::vector<Repetition>& runs) {
  std::uint64_t sum = 0;
  for (const Repetition& run : runs) sum += std::uint64_t{run.period} * run.count;
  return sum;
}

// The shortest period that covers about as much as the best does; or the longest.
std::vector<Repetition> best_runs(const std::vector<std::uint32_t>& list, bool shortest) {
  std::vector<std::vector<Repetition>> all;
  std::uint64_t most = 0;
  for (const std::uint32_t period : likely_periods(list)) {
    all.push_back(runs_of(list, period));
    most = std::max(most, covered(all.back()));
  }
  std::vector<Repetition> best;
  for (auto& runs : all) {
    if (runs.empty() || covered(runs) * 5 < most * 4) continue;
    const bool better = best.empty() || (shortest ? runs[0].period < best[0].period
                                                  : runs[0].period > best[0].period);
    if (better) best = std::move(runs);
  }
  return best;
}

}  // namespace

std::vector<Repetition> find_repetitions(const Trace& trace) {
  return best_runs(identities(trace, false), true);
}

std::vector<Pass> find_passes(const Trace& trace, const std::vector<Repetition>& repetitions) {
  const auto& commands = trace.commands();
  std::vector<Pass> passes;
  const auto add = [&](std::uint32_t first, std::uint32_t end) {
    Pass pass{first, end, ~std::uint64_t{0}, 0};
    for (std::uint32_t c = first; c < end; ++c) {
      pass.begin_ns = std::min(pass.begin_ns, commands[c].call_begin_ns);
      pass.end_ns = std::max({pass.end_ns, commands[c].call_end_ns, commands[c].ended_ns});
    }
    if (first < end) passes.push_back(pass);
  };
  // The program's own marks count most.
  std::vector<const TraceRegion*> regions;
  for (const TraceRegion& region : trace.regions())
    if (region.kind == TraceRegion::Kind::pass) regions.push_back(&region);
  std::ranges::stable_sort(regions, {}, [](const TraceRegion* r) { return r->begin_ns; });
  std::uint32_t c = 0;
  for (const TraceRegion* region : regions) {
    while (c < commands.size() && commands[c].call_begin_ns < region->begin_ns) ++c;
    const std::uint32_t first = c;
    while (c < commands.size() && commands[c].call_begin_ns <= region->end_ns) ++c;
    add(first, c);
    if (first == c) continue;
    passes.back().begin_ns = region->begin_ns;
    passes.back().end_ns = std::max(passes.back().end_ns, region->end_ns);
  }
  if (!passes.empty() || repetitions.empty()) return passes;

  // Then what repeats with all its names, most of the document over.
  const std::vector<Repetition> runs = best_runs(identities(trace, true), true);
  if (runs.empty()) return passes;
  const Repetition& longest = *std::ranges::max_element(
      runs, {}, [](const Repetition& run) { return std::uint64_t{run.period} * run.count; });
  if (std::uint64_t{longest.period} * longest.count * 10 < commands.size() * std::uint64_t{8})
    return passes;
  for (std::uint32_t i = 0; i < longest.count; ++i)
    add(longest.first + i * longest.period, longest.first + (i + 1) * longest.period);
  return passes;
}

}  // namespace reel::analysis
