#include "analysis/ranks/one_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reel/units.hpp"

namespace reel::analysis {

namespace {

// Nobody knows how far real-time clocks of hosts are apart; those that NTP sets, less than this.
constexpr std::int64_t most_real_time_error_ns = 10'000'000'000;

// From the first start to the last end of a document, on the common clock.
struct RankSpan {
  const RankSteps* document = nullptr;
  std::int64_t begin_ns = 0, end_ns = 0, error_ns = 0;
};

std::optional<RankSpan> span_of(const RankSteps& document, const CommonClock& clock) {
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  for (const RankStep& step : document.steps) {
    if (!step.has_times()) continue;
    begin = std::min(begin, step.started_ns);
    end = std::max(end, step.ended_ns);
  }
  if (end <= begin) return std::nullopt;
  const auto first = clock.at(begin), last = clock.at(end);
  if (!first || !last) return std::nullopt;
  RankSpan span{&document, first->ns, last->ns};
  span.error_ns = first->error_ns && last->error_ns
                      ? static_cast<std::int64_t>(std::max(*first->error_ns, *last->error_ns) +
                                                  document.clock_error_ns.value_or(0))
                      : most_real_time_error_ns;
  return span;
}

}  // namespace

std::string why_not_one_run(const std::vector<RankSteps>& documents) {
  std::vector<ClockSource> sources;
  for (const RankSteps& document : documents) sources.push_back(document.clock);
  const std::vector<CommonClock> clocks = common_clocks(sources);
  std::optional<RankSpan> first_to_end, last_to_begin;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const auto span = span_of(documents[i], clocks[i]);
    if (!span) continue;
    if (!first_to_end || span->end_ns < first_to_end->end_ns) first_to_end = span;
    if (!last_to_begin || span->begin_ns > last_to_begin->begin_ns) last_to_begin = span;
  }
  if (!first_to_end) return {};
  const std::int64_t apart = last_to_begin->begin_ns - first_to_end->end_ns;
  if (apart <= first_to_end->error_ns + last_to_begin->error_ns) return {};
  return fmt::format("{} had ended {} before {} began{}, so one can't have waited for the other.",
                     first_to_end->document->path, time_text(static_cast<std::uint64_t>(apart)),
                     last_to_begin->document->path,
                     clocks[0].basis() == ClockBasis::real_time
                         ? ", as the real-time clocks of their hosts say"
                         : "");
}

}  // namespace reel::analysis
