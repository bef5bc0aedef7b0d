#include "analysis/time/repetitions.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "document/trace/ranges.hpp"

namespace reel::analysis {

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

namespace {

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

}  // namespace

std::vector<std::uint32_t> identities(const Trace& trace, bool of_places) {
  using Key = std::tuple<WorkKind, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t,
                         std::uint32_t, std::uint32_t, std::vector<std::uint32_t>>;
  const std::vector<std::uint32_t> texts = text_identities(trace, !of_places);
  std::map<Key, std::uint32_t> known;
  std::vector<std::uint32_t> of_work;
  of_work.reserve(trace.works().size());
  for (const TraceWork& work : trace.works()) {
    Key key{work.kind,
            work.kernel,
            work.graph,
            work.all_items().count(),
            work.group_size.count(),
            texts[work.label],
            texts[work.scope],
            {}};
    if (!of_places)
      for_each_range(trace, work, [&](const TraceArgument& range, Access) {
        if (is_lasting(trace.buffers()[range.buffer])) std::get<7>(key).push_back(range.buffer);
      });
    of_work.push_back(
        known.try_emplace(std::move(key), static_cast<std::uint32_t>(known.size())).first->second);
  }
  std::vector<std::uint32_t> list;
  list.reserve(trace.commands().size());
  for (const TraceCommand& command : trace.commands()) list.push_back(of_work[command.work]);
  return list;
}

namespace {

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

}  // namespace

const Repetition& longest(const std::vector<Repetition>& runs) {
  return *std::ranges::max_element(
      runs, {}, [](const Repetition& run) { return std::uint64_t{run.period} * run.count; });
}

std::vector<Repetition> best_runs(const std::vector<std::uint32_t>& list, const IsRepeated& is) {
  std::vector<std::vector<Repetition>> all;
  std::uint64_t most = 0;
  for (const std::uint32_t period : likely_periods(list)) {
    std::vector<Repetition> runs = runs_of(list, period);
    if (runs.empty() || (is && !is(longest(runs)))) continue;
    most = std::max(most, covered(runs));
    all.push_back(std::move(runs));
  }
  std::vector<Repetition> best;
  for (auto& runs : all) {
    if (covered(runs) * 5 < most * 4) continue;
    if (best.empty() || runs[0].period < best[0].period) best = std::move(runs);
  }
  return best;
}

std::vector<Repetition> find_repetitions(const Trace& trace) {
  return best_runs(identities(trace, true));
}

}  // namespace reel::analysis
