// The same again: are results the same, does it take as long, and does it alone?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/time/cold_runs.hpp"
#include "base/clock.hpp"
#include "reel/units.hpp"
#include "replay/proof/experiments.hpp"

namespace reel::rerun {

namespace {

constexpr std::uint32_t most_runs = 20;
// Of what a run took longer than others like it, so much must be gone when it is warm.
constexpr double gone_part = 0.5;

// Of the launch size that has most of the kernel's time, the run with the median time: the longest
// is often one that was interrupted. First runs that took far longer are no claim's. None where
// none can be run here.
struct TypicalRun {
  std::uint32_t command = no_index;
  std::size_t sizes = 0, runs = 0;  // launch sizes of the kernel; runs of this one
};

TypicalRun typical_run(const Trial& trial, std::uint32_t kernel) {
  const Trace& trace = trial.bench.trace();
  const auto& own_ns = trial.report.own_ns;
  const analysis::ColdRuns cold(trace);
  struct Alike {
    std::vector<std::uint32_t> commands;
    std::uint64_t ns = 0;
  };
  std::map<std::array<std::uint32_t, 3>, Alike> by_size;
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    const TraceWork& work = trace.work_of(trace.commands()[c]);
    if (work.kind != WorkKind::dispatch || work.kernel != kernel || !trial.bench.runs(c) ||
        cold.contains(c))
      continue;
    const Dim3 items = work.all_items();
    Alike& alike = by_size[{items.x, items.y, items.z}];
    alike.commands.push_back(c);
    alike.ns += own_ns[c];
  }
  if (by_size.empty()) return {};
  auto& commands = std::ranges::max_element(by_size, {}, [](const auto& one) {
                     return one.second.ns;
                   })->second.commands;
  const auto middle = commands.begin() + static_cast<std::ptrdiff_t>(commands.size() / 2);
  std::ranges::nth_element(commands, middle, {}, [&](std::uint32_t c) { return own_ns[c]; });
  return {*middle, by_size.size(), commands.size()};
}

// Which run it is: the median of a kernel that runs in several sizes is another one.
std::string which_text(const Trace& trace, const TypicalRun& typical) {
  const std::string name = command_name(typical.command);
  if (typical.runs == 1 && typical.sizes == 1) return name + ", its only run,";
  if (typical.sizes == 1) return fmt::format("{}, its median run (P50),", name);
  const Dim3 items = trace.work_of(trace.commands()[typical.command]).all_items();
  return fmt::format("{}, the median of its {} of {} × {} × {} items, which have most of its time,",
                     name, count_text(typical.runs, "run"), items.x, items.y, items.z);
}

}  // namespace

Proof repeated(const Trial& trial) {
  Bench& bench = trial.bench;
  const std::uint64_t begin_ns = monotonic_ns();
  const std::set<std::uint32_t> watched = named_commands(trial);
  const Plan& plan = bench.recorded();
  const Bench::Results first = bench.results(plan, watched);
  if (first.empty()) return not_tried("The document has no results that could be compared.");
  Proof proof;
  proof.runs = 1;
  while (proof.runs < most_runs &&
         static_cast<double>(monotonic_ns() - begin_ns) < trial.seconds * 1e9) {
    const Bench::Results again = bench.results(plan, watched);
    ++proof.runs;
    if (again == first) continue;
    const auto changed = std::ranges::find_if(again, [&](const auto& one) {
      const auto same = first.find(one.first);
      return same != first.end() && same->second != one.second;
    });
    proof.verdict = ProofVerdict::supported;
    proof.sentence =
        fmt::format("Run {} gave other bytes than the first in {}{}.", proof.runs,
                    describe_buffer(bench.trace(), changed->first.buffer),
                    changed->first.kind == Bench::Place::Kind::watched
                        ? fmt::format(", right after {}", command_name(changed->first.index))
                        : std::string());
    return proof;
  }
  if (proof.runs < 2) {
    proof.verdict = ProofVerdict::inconclusive;
    proof.sentence = "There was too little time for a second run.";
    return proof;
  }
  proof.verdict = ProofVerdict::withdrawn;
  proof.sentence = fmt::format(
      "{} runs gave the same bytes, so what differs depends on something that these commands read "
      "without declaring it, not on chance.",
      proof.runs);
  return proof;
}

Proof repeated_warm(const Trial& trial) {
  Bench& bench = trial.bench;
  const std::set<std::uint32_t> commands = named_commands(trial);
  if (commands.empty()) return not_tried("None of these commands can be run here.");
  if (!bench.is_recorded_device()) return not_tried("The recorded times are of another device.");
  const auto runs = bench.times(commands, most_runs, trial.seconds);
  std::vector<double> recorded, warm;
  for (const auto& run : runs) {
    double was = 0, is = 0;
    for (const auto& [c, ns] : run) {
      was += static_cast<double>(trial.report.own_ns[c]);
      is += ns;
    }
    if (run.size() == commands.size()) {
      recorded.push_back(was);
      warm.push_back(is);
    }
  }
  if (recorded.size() < fewest_pairs) return not_tried(bench.why_too_few());
  // What is claimed may be of more commands than are named.
  const double claimed = std::min(trial.claimed_ns().value_or(recorded[0]), recorded[0]);
  const Saving saving = saving_of(recorded, warm);
  Proof proof;
  take(saving, proof);
  proof.verdict = saving.low_ns >= gone_part * claimed   ? ProofVerdict::supported
                  : saving.high_ns < gone_part * claimed ? ProofVerdict::withdrawn
                                                         : ProofVerdict::inconclusive;
  proof.sentence =
      fmt::format("Warm, {} {} {} instead of {} (median of {} runs): {}.", names_text(commands),
                  commands.size() == 1 ? "takes" : "take", ns_text(saving.after_ns),
                  ns_text(saving.before_ns), saving.runs,
                  proof.verdict == ProofVerdict::supported   ? "it was an exception"
                  : proof.verdict == ProofVerdict::withdrawn ? "it takes about as long each time"
                                                             : "not significant");
  return proof;
}

Proof alone_and_warm(const Trial& trial) {
  Bench& bench = trial.bench;
  if (trial.finding.evidence.kernels.empty()) return not_tried("It names no kernel.");
  const TypicalRun chosen = typical_run(trial, trial.finding.evidence.kernels.front());
  const std::uint32_t typical = chosen.command;
  if (typical == no_index) return not_tried("No run of this kernel can be run here.");
  std::vector<double> in_place;
  for (const auto& run : bench.times({typical}, most_runs, trial.seconds / 2))
    if (!run.empty()) in_place.push_back(run.begin()->second);
  if (in_place.size() < fewest_pairs) return not_tried(bench.why_too_few());
  std::vector<double> alone = bench.times_alone(typical, most_runs, trial.seconds / 2);
  const std::size_t pairs = std::min(in_place.size(), alone.size());
  in_place.resize(pairs);
  alone.resize(pairs);
  if (pairs < fewest_pairs) return not_tried(bench.why_too_few());
  const Saving saving = saving_of(in_place, alone);
  Proof proof;
  take(saving, proof);
  const auto recorded_ns = static_cast<double>(trial.report.own_ns[typical]);
  const bool is_recorded = bench.is_recorded_device();
  const bool was_once = is_recorded && saving.before_ns < recorded_ns / 2;
  proof.verdict = judge_own_time(saving, is_recorded ? std::optional(recorded_ns) : std::nullopt);
  proof.sentence = fmt::format(
      "{} takes {} alone and warm, {} in its place (± {}, {} runs each), {} when recorded: {}.",
      which_text(bench.trace(), chosen), ns_text(saving.after_ns), ns_text(saving.before_ns),
      ns_text(saving.noise_ns()), saving.runs, ns_text(recorded_ns),
      was_once                                   ? "the recorded time does not come again"
      : proof.verdict == ProofVerdict::supported ? "the time is its own"
      : proof.verdict == ProofVerdict::withdrawn
          ? "the rest is caches, clocks or other work at the same time"
          : "not significant");
  return proof;
}

}  // namespace reel::rerun
