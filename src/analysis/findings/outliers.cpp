// Runs that took far longer than others like them: a few, or so many that there are two speeds.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/findings/rules.hpp"
#include "document/trace/ranges.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

constexpr std::size_t fewest_alike = 8;
// More than a tenth of the runs are no exceptions any more.
bool are_two_speeds(std::size_t slow, std::size_t runs) { return slow >= 2 && slow * 10 > runs; }

struct SlowRun {
  std::uint32_t command;
  std::uint64_t excess_ns;
};

// Runs of one kernel that are given as much, and those of them that took three times the median.
struct AlikeRuns {
  std::uint32_t kernel = no_index;
  std::size_t runs = 0;
  std::uint64_t median_ns = 0, slow_median_ns = 0, excess_ns = 0;
  std::uint64_t first_runs = 0;  // 1: the first of all is among the slow ones
  std::vector<SlowRun> slow = {};
};

std::vector<AlikeRuns> slow_runs_of(const Case& c) {
  // The same kernel does more where it is given more: only runs with as many bytes are alike.
  using Likeness = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>;
  struct Run {
    std::uint32_t command;
    std::uint64_t run_ns;
  };
  std::map<Likeness, std::vector<Run>> alike;
  std::vector<std::vector<Run>*> of_work(c.works.size());  // equal commands share one
  for (std::uint32_t i = 0; i < c.commands.size(); ++i) {
    const TraceCommand command = c.command(i);
    const TraceWork& work = c.works[command.work];
    if (work.kind != WorkKind::dispatch || work.kernel == no_index || !command.has_run_times())
      continue;
    if (predicate_of(c.trace, work)) continue;  // those that were skipped are no measure
    std::vector<Run>*& runs = of_work[command.work];
    if (!runs) {
      std::uint64_t bytes = 0;
      for_each_range(c.trace, work,
                     [&](const TraceArgument& range, Access) { bytes += range.size_bytes; });
      runs = &alike[{work.kernel, work.all_items().count(), work.group_size.count(), bytes}];
    }
    runs->push_back({i, command.run_ns()});
  }
  std::vector<AlikeRuns> found;
  std::vector<std::uint64_t> times, slow_times;
  for (const auto& [key, runs] : alike) {
    if (runs.size() < fewest_alike) continue;
    times.clear(), slow_times.clear();
    for (const Run& each : runs) times.push_back(each.run_ns);
    AlikeRuns one{.kernel = std::get<0>(key), .runs = runs.size(), .median_ns = median(times)};
    for (const auto& [i, run] : runs) {
      if (!is_far_longer(run, one.median_ns)) continue;
      one.slow.push_back({i, run - one.median_ns});
      one.excess_ns += run - one.median_ns;
      one.first_runs += i == runs[0].command;
      slow_times.push_back(run);
    }
    one.slow_median_ns = median(slow_times);
    if (!one.slow.empty()) found.push_back(std::move(one));
  }
  return found;
}

void add_evidence(const Case& c, std::vector<SlowRun> slow, Finding& finding) {
  std::ranges::stable_sort(slow, std::ranges::greater{}, &SlowRun::excess_ns);
  finding.evidence.begin_ns = c.command(slow[0].command).started_ns;
  finding.evidence.end_ns = c.command(slow[0].command).ended_ns;
  std::vector<std::uint32_t> commands;
  for (const SlowRun& run : slow) commands.push_back(run.command);
  finding.evidence.commands = some(std::move(commands));
}

void add_outliers(const Case& c, const std::vector<AlikeRuns>& all, Findings& findings) {
  std::vector<SlowRun> outliers;
  std::uint64_t excess = 0, first_runs = 0;
  for (const AlikeRuns& one : all) {
    if (are_two_speeds(one.slow.size(), one.runs)) continue;
    outliers.insert(outliers.end(), one.slow.begin(), one.slow.end());
    excess += one.excess_ns;
    first_runs += one.first_runs;
  }
  if (!c.is_worth(excess)) return;
  Finding finding{.id = "outlier", .severity = Severity::info};
  finding.confidence = Confidence::likely;
  add_evidence(c, outliers, finding);
  finding.title = fmt::format(
      "{} took more than three times as long as others like {}, {} longer in total; the worst is "
      "{}.",
      count_text(outliers.size(), "run"), outliers.size() == 1 ? "it" : "them", time_text(excess),
      describe_command(c.trace, finding.evidence.commands[0]));
  if (first_runs == outliers.size())
    finding.title +=
        fmt::format(" {} was the first of its kind{}.", outliers.size() == 1 ? "It" : "Each",
                    first_build_ns(c.trace) ? ": warming up" : " that was recorded");
  finding.advice =
      first_runs == outliers.size()
          ? "Exclude the first pass from measurements."
          : "Check what else ran at that time: another stream, another process, paging.";
  finding.numbers = {{"runs", "", static_cast<double>(outliers.size())},
                     {"first_runs", "", static_cast<double>(first_runs)},
                     {"excess", "ns", static_cast<double>(excess)}};
  finding.saving_ns = excess;
  finding.formula = "sum over these of (run - median of its like)";
  findings.push_back(std::move(finding));
}

// One finding for the kernel that loses most by it.
void add_speeds(const Case& c, const std::vector<AlikeRuns>& all, Findings& findings) {
  const AlikeRuns* most = nullptr;
  for (const AlikeRuns& one : all)
    if (are_two_speeds(one.slow.size(), one.runs) && (!most || one.excess_ns > most->excess_ns))
      most = &one;
  if (!most || !c.is_worth(most->excess_ns)) return;
  Finding finding{.id = "speeds", .severity = Severity::info};
  finding.confidence = Confidence::likely;
  finding.title = fmt::format(
      "{} of {} of kernel {} that are given as much took more than three times the median: {} "
      "against {} in the median. So many are not exceptions; it has two speeds.",
      most->slow.size(), count_text(most->runs, "run"), kernel_text(c.trace, most->kernel),
      time_text(most->slow_median_ns), time_text(most->median_ns));
  finding.advice =
      "Find out what the slow runs have in common: the values they are given, memory that is not "
      "in "
      "a cache, what ran before them or at the same time.";
  finding.numbers = {{"slow", "", static_cast<double>(most->slow.size())},
                     {"runs", "", static_cast<double>(most->runs)},
                     {"median", "ns", static_cast<double>(most->median_ns)},
                     {"slow_median", "ns", static_cast<double>(most->slow_median_ns)},
                     {"excess", "ns", static_cast<double>(most->excess_ns)}};
  finding.evidence.kernels = {most->kernel};
  add_evidence(c, most->slow, finding);
  findings.push_back(std::move(finding));
}

}  // namespace

void outlier_rule(const Case& c, Findings& findings) {
  const std::vector<AlikeRuns> all = slow_runs_of(c);
  add_outliers(c, all, findings);
  add_speeds(c, all, findings);
}

}  // namespace reel::analysis
