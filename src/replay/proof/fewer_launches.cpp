// What launches of tiny kernels cost: all of a run but its first left out, less what those run.
#include <fmt/format.h>

#include "analysis/findings/tiny_chains.hpp"
#include "reel/units.hpp"
#include "replay/proof/experiments.hpp"
#include "replay/statistics.hpp"

namespace reel::rerun {

Proof fewer_launches(const Trial& trial) {
  Bench& bench = trial.bench;
  const Trace& trace = bench.trace();
  std::set<std::uint32_t> others;  // than the first of each run
  bool are_nodes = false;
  for (const analysis::TinyChain& chain : analysis::find_tiny_chains(trace, trial.report))
    for (std::size_t i = 1; i < chain.size(); ++i) {
      // A replay enqueues nodes one by one: what a launch costs in their graph it can't show.
      const bool is_node = trace.commands()[chain[i]].launch != no_index;
      are_nodes = are_nodes || is_node;
      if (!is_node && bench.runs(chain[i])) others.insert(chain[i]);
    }
  if (others.empty())
    return not_tried(are_nodes ? "These kernels are nodes of a graph already, which a replay would "
                                 "enqueue one by one to try it."
                               : "None of these kernels can be run here.");
  constexpr std::uint32_t most_runs = 20;
  std::vector<double> own;  // what the others run by themselves, run by run
  for (const auto& run : bench.times(others, most_runs, trial.seconds / 3)) {
    double sum = 0;
    for (const auto& [command, ns] : run) sum += ns;
    if (run.size() == others.size()) own.push_back(sum);
  }
  if (own.size() < fewest_pairs) return not_tried(bench.why_too_few());
  const double own_ns = spread_of(own).median;
  auto saving = bench.measure(bench.recorded(), bench.without(others), trial.seconds * 2 / 3);
  if (!saving) return not_tried(bench.why_too_few());
  Proof proof;
  proof.sentence = fmt::format(
      "Fusing needs another kernel; what was tried is leaving out all but the first of each run, "
      "{}: "
      "{} instead of {}. Less the {} that those run, ",
      count_text(others.size(), "kernel"), ns_text(saving->after_ns), ns_text(saving->before_ns),
      ns_text(own_ns));
  for (double* ns : {&saving->ns, &saving->low_ns, &saving->high_ns}) *ns -= own_ns;
  proof.sentence += saving_text(*saving);
  add_verdict(*saving, trial.claimed_ns(), proof);
  proof.sentence += '.';
  return proof;
}

}  // namespace reel::rerun
