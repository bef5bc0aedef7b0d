// trend.cpp - medians of each document, in the order of the commits, and where they change.
#include "reel/trend.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "base/fail.hpp"
#include "base/glob.hpp"

namespace reel::analysis {
namespace {

using Key = std::tuple<std::string, std::string, std::string>;  // kernel, scope, device

template <class Number>
double median_of(std::vector<Number> numbers) {
  const std::size_t half = numbers.size() / 2;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(half);
  std::ranges::nth_element(numbers, middle);
  const auto upper = static_cast<double>(*middle);
  if (numbers.size() % 2) return upper;
  return (upper + static_cast<double>(*std::max_element(numbers.begin(), middle))) / 2;
}

// One document: what it is of, and the median of each line.
struct Read {
  TrendRun run;
  std::optional<std::uint64_t> sequence;
  std::map<Key, std::pair<double, std::uint64_t>> medians;
};

std::optional<std::uint64_t> number_of(const std::map<std::string, std::string>& facts,
                                       const char* key) {
  const auto found = facts.find(key);
  if (found == facts.end()) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [stop, error] = std::from_chars(found->second.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

void read_medians(const Trace& trace, const TrendOptions& options, Read& read) {
  // By work: commands that are equal have all of it in common but their streams.
  std::map<Key, std::vector<std::uint64_t>> times;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>*> places;
  for (const TraceCommand& command : trace.commands()) {
    const TraceWork& work = trace.work_of(command);
    if (work.kind != WorkKind::dispatch || work.kernel == no_index || !command.has_run_times())
      continue;
    auto& place = places[{command.work, command.stream}];
    if (!place) {
      const std::string& kernel = trace.kernels()[work.kernel].name;
      if (!options.kernel.empty() && !glob_matches(options.kernel, kernel)) continue;
      const std::uint32_t device = trace.streams()[command.stream].device;
      place = &times[{kernel, trace.text(work.scope),
                      device < trace.devices().size() ? trace.devices()[device].name : ""}];
    }
    place->push_back(command.run_ns());
  }
  for (auto& [key, list] : times) {
    const std::uint64_t count = list.size();
    read.medians[key] = {median_of(std::move(list)), count};
  }
}

// Documents of one commit are side by side, commits in the order of their first ones: by the fact
// `sequence` where all have it, else by when they were recorded.
void sort_runs(std::vector<Read>& reads) {
  const bool has_sequence =
      std::ranges::all_of(reads, [](const Read& read) { return read.sequence.has_value(); });
  const auto place = [&](const Read& read) {
    return std::tuple(has_sequence ? *read.sequence : 0, read.run.started, read.run.document);
  };
  std::ranges::sort(reads, {}, place);
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < reads.size(); ++i) first.emplace(reads[i].run.by, i);
  std::ranges::stable_sort(reads, {}, [&](const Read& read) { return first[read.run.by]; });
}

// Differences from the median of the same commit, on the same side of a change.
std::optional<double> noise_of(const Trend& trend, const TrendLine& line) {
  std::map<std::pair<bool, std::string>, std::vector<double>> groups;
  const auto is_after = [&](std::size_t i) { return line.change && i >= line.change->at; };
  bool has_repeats = false;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    auto& group = groups[{is_after(i), trend.runs[line.points[i].run].by}];
    group.push_back(line.points[i].median_ns);
    has_repeats |= group.size() > 1;
  }
  // Without repeats, points on the same side count as such.
  if (!has_repeats) {
    groups.clear();
    for (std::size_t i = 0; i < line.points.size(); ++i)
      groups[{is_after(i), ""}].push_back(line.points[i].median_ns);
  }
  std::vector<double> distances;
  double lost = 0;  // each group's median takes one
  for (const auto& [key, group] : groups) {
    if (group.size() < 2) continue;
    const double middle = median_of(group);
    if (!(middle > 0)) continue;
    lost += 1;
    for (const double number : group) distances.push_back(std::abs(number / middle - 1));
  }
  const auto count = static_cast<double>(distances.size());
  if (count < 3 || count <= lost) return std::nullopt;
  return 1.4826 * median_of(std::move(distances)) * std::sqrt(count / (count - lost));
}

void find_changes(Trend& trend, const TrendOptions& options) {
  struct Candidate {
    TrendLine* line;
    ChangePoint change;
  };
  std::vector<Candidate> candidates;
  // The smallest p that can be found has to be small enough for as many lines as there are.
  const std::size_t permutations = std::clamp<std::size_t>(trend.lines.size() * 60, 1999, 19999);
  for (TrendLine& line : trend.lines) {
    std::vector<double> numbers;
    std::vector<bool> may_begin;
    for (const TrendPoint& point : line.points) {
      const bool is_first =
          numbers.empty() ||
          trend.runs[point.run].by != trend.runs[line.points[numbers.size() - 1].run].by;
      numbers.push_back(point.median_ns);
      may_begin.push_back(is_first);
    }
    if (const auto found = find_change_point(numbers, may_begin, permutations))
      candidates.push_back({&line, *found});
  }
  // Holm: of many lines that didn't change, one is called changed in as few cases as of one.
  std::ranges::stable_sort(candidates, {}, [](const Candidate& c) { return c.change.p; });
  double p = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    p = std::max(
        p, std::min(1.0, candidates[i].change.p * static_cast<double>(candidates.size() - i)));
    if (p > options.significance) break;
    TrendLine& line = *candidates[i].line;
    std::vector<double> before, after;
    for (std::size_t k = 0; k < line.points.size(); ++k)
      (k < candidates[i].change.at ? before : after).push_back(line.points[k].median_ns);
    TrendChange change{candidates[i].change.at, median_of(before), median_of(after), p};
    if (change.before_ns > 0) line.change = change;
  }
}

double weight_of(const TrendLine& line) {
  if (!line.change) return 0;
  double count = 0;
  for (const TrendPoint& point : line.points) count += static_cast<double>(point.count);
  return std::abs(line.change->after_ns - line.change->before_ns) * count /
         static_cast<double>(line.points.size());
}

}  // namespace
}  // namespace reel::analysis

namespace reel {

analysis::Trend find_trend(const std::vector<std::string>& documents,
                           const analysis::TrendOptions& options) {
  using namespace analysis;
  Trend trend;
  std::vector<Read> reads;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (options.progress) options.progress(i, documents.size());
    try {
      const Trace trace = Trace::load(documents[i]);
      if (!trace.is_complete())
        trend.problems.push_back(fmt::format(
            "{} is incomplete: {}", documents[i],
            trace.problems().empty() ? "It was never closed." : trace.problems().front()));
      const auto by = trace.run_facts().find(options.by);
      if (by == trace.run_facts().end()) {
        ++trend.without_fact;
        continue;
      }
      Read& read = reads.emplace_back();
      const auto started = trace.facts().find("started");
      read.run = {documents[i], by->second, started == trace.facts().end() ? "" : started->second};
      read.sequence = number_of(trace.run_facts(), "sequence");
      read_medians(trace, options, read);
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory) throw;
      const std::string why = error.what();
      trend.problems.push_back(why.find(documents[i]) == std::string::npos
                                   ? fmt::format("{}: {}", documents[i], why)
                                   : why);
      ++trend.left_out;
    }
  }
  if (reads.empty())
    fail(Code::invalid_argument,
         "None of {} documents has the fact '{}'; record them with REEL_CAPTURE_FACTS={}=…, or "
         "choose another fact.",
         documents.size(), options.by, options.by);
  sort_runs(reads);
  std::map<Key, std::size_t> places;
  for (const Read& read : reads) {
    for (const auto& [key, median] : read.medians) {
      const auto [place, is_new] = places.emplace(key, trend.lines.size());
      if (is_new)
        trend.lines.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), {}, {}, {}});
      trend.lines[place->second].points.push_back({trend.runs.size(), median.first, median.second});
    }
    trend.runs.push_back(read.run);
  }
  find_changes(trend, options);
  for (TrendLine& line : trend.lines) line.noise = noise_of(trend, line);
  std::ranges::stable_sort(trend.lines, std::greater<>{}, weight_of);
  return trend;
}

}  // namespace reel
