// What the page of many ranks asks for.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reel/page.hpp"

namespace reel {

struct RanksState {
  analysis::RanksReport report;
  std::string ranks, timelines;  // JSON
  std::vector<std::string> left_out;
};

namespace {

using Json = nlohmann::ordered_json;

// What a browser draws without delay, and a file of some megabytes holds.
constexpr std::uint64_t most_runs = 200'000;

// Steps in the order in which one would look at them: the one with the usual skew, then the
// largest.
std::vector<std::uint32_t> steps_by_interest(const analysis::RanksReport& report) {
  std::vector<std::uint32_t> steps;
  for (std::uint32_t s = 0; s < report.steps.size(); ++s)
    if (report.steps[s].last) steps.push_back(s);
  std::ranges::stable_sort(steps, std::greater{},
                           [&](std::uint32_t s) { return report.steps[s].skew_ns; });
  if (!steps.empty()) std::swap(steps[0], steps[steps.size() / 2]);
  return steps;
}

// Times count from the first run's start, which is `shift_ns` itself.
Json runs_json(const std::vector<analysis::RankRun>& runs, std::int64_t shift_ns) {
  Json rows = Json::array(), starts = Json::array(), lengths = Json::array();
  for (const analysis::RankRun& run : runs) {
    rows.push_back(run.row);
    starts.push_back(run.started_ns - runs.front().started_ns +
                     static_cast<std::uint64_t>(shift_ns));
    lengths.push_back(run.ended_ns - run.started_ns);
  }
  return {{"row", rows}, {"start_ns", starts}, {"length_ns", lengths}};
}

// By rank: its rows, and of each step its runs. Times count from the earliest start of a step in
// any rank where the clock is common, else from each rank's own.
std::string timelines_json(RanksState& state, const PageOptions& options) {
  const analysis::RanksReport& report = state.report;
  const bool is_aligned = report.clock == analysis::RanksClock::known;
  const std::vector<std::uint32_t> order = steps_by_interest(report);
  std::vector<std::uint32_t> steps;
  std::vector<analysis::RankRuns> all;
  std::vector<analysis::ClockSource> sources;
  for (std::size_t r = 0; r < report.ranks.size(); ++r) {
    if (options.progress)
      options.progress("Reading timelines",
                       static_cast<double>(r) / static_cast<double>(report.ranks.size()));
    const Trace trace = Trace::load(report.ranks[r].path);
    // As many steps as fit, by the first document: the others have about as many runs.
    if (r == 0 && !report.steps.empty()) {
      const std::uint64_t a_step =
          report.ranks.size() *
          std::max<std::uint64_t>(1, trace.commands().size() / report.steps.size());
      const std::uint64_t fit = std::max<std::uint64_t>(1, most_runs / a_step);
      steps.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(
                                                      std::min<std::uint64_t>(fit, order.size())));
      if (fit < order.size())
        state.left_out.push_back(
            fmt::format("Timelines of {} of {} steps are here: those with the largest skew.", fit,
                        order.size()));
    }
    all.push_back(analysis::runs_of(trace, steps));
    sources.push_back(analysis::clock_source(trace));
  }
  const std::vector<analysis::CommonClock> clocks = analysis::common_clocks(sources);
  Json ranks = Json::array();
  for (std::size_t r = 0; r < all.size(); ++r) {
    Json rows = Json::array(), its = Json::object();
    for (const analysis::RankRow& row : all[r].rows) rows.push_back(row.name);
    for (const auto& [step, runs] : all[r].steps) {
      if (runs.empty()) continue;
      std::int64_t shift = 0;  // on the common clock, from the rank that starts first
      for (std::size_t other = 0; is_aligned && other < all.size(); ++other)
        if (const auto same = all[other].steps.find(step);
            same != all[other].steps.end() && !same->second.empty())
          shift = std::max(shift, clocks[r].at(runs.front().started_ns)->ns -
                                      clocks[other].at(same->second.front().started_ns)->ns);
      its[std::to_string(step)] = runs_json(runs, shift);
    }
    ranks.push_back({{"rank", report.ranks[r].rank}, {"rows", rows}, {"steps", its}});
  }
  const Json json = {{"aligned", is_aligned},
                     {"first", steps.empty() ? Json() : Json(steps.front())},
                     {"ranks", ranks},
                     {"left_out", state.left_out}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

RanksData::RanksData(const std::vector<std::string>& paths, const PageOptions& options) {
  auto state = std::make_shared<RanksState>();
  state->report = compare_ranks(paths, {.progress = options.progress});
  state->ranks = analysis::ranks_json(state->report);
  state->timelines = timelines_json(*state, options);
  state_ = std::move(state);
}

std::optional<Resource> RanksData::get(std::string_view name) const {
  if (name == "ranks") return Resource{state_->ranks, "application/json"};
  if (name == "rank_timelines") return Resource{state_->timelines, "application/json"};
  return {};
}

std::vector<std::string> RanksData::names() const { return {"ranks", "rank_timelines"}; }
const analysis::RanksReport& RanksData::report() const noexcept { return state_->report; }
const std::vector<std::string>& RanksData::left_out() const noexcept { return state_->left_out; }

}  // namespace reel
