// Launches that cost: the same commands as a graph, against the recorded order given directly.
#include <fmt/format.h>

#include "reel/units.hpp"
#include "replay/proof/experiments.hpp"

namespace reel::rerun {

namespace {

// What the finding is about: idle time, or the time of all commands.
double whole_ns(const Trial& trial) {
  for (const analysis::Number& number : trial.finding.numbers)
    if (number.name == "idle" || number.name == "one_after_the_other") return number.value;
  return 0;
}

}  // namespace

Proof as_graph(const Trial& trial) {
  // Drivers finish building a kernel at its first launch; runs that are compared are warm.
  for (const analysis::Number& number : trial.finding.numbers)
    if (number.name == "before_first_runs" && number.value * 2 >= trial.claimed_ns().value_or(0) &&
        number.value > 0)
      return not_tried(
          "Most of it is before the first run of a kernel, and a replay runs each kernel before it "
          "measures.");
  // What is in a graph already gains nothing by being recorded into one.
  for (const analysis::Number& number : trial.finding.numbers)
    if ((number.name == "before_nodes" || number.name == "in_graphs") && number.value > 0 &&
        number.value * 2 >= whole_ns(trial))
      return not_tried("Most of these commands are nodes of a graph already.");
  Bench& bench = trial.bench;
  Plan graph = bench.recorded();
  graph.way = Plan::Way::graph;
  if (!bench.as_graph || !*bench.as_graph)
    bench.as_graph = bench.measure(bench.recorded(), graph, trial.seconds);
  if (!*bench.as_graph) return not_tried(bench.why_too_few());
  Proof proof;
  const Saving& saving = **bench.as_graph;
  proof.sentence =
      fmt::format("As a graph, the same commands take {} instead of {}: {}",
                  ns_text(saving.after_ns), ns_text(saving.before_ns), saving_text(saving));
  add_verdict(saving, trial.claimed_ns(), proof);
  if (!bench.why_results_tell_nothing().empty()) {
    proof.sentence +=
        fmt::format("; results were not compared, since {}.", bench.why_results_tell_nothing());
    return proof;
  }
  const auto change =
      bench.first_change(bench.recorded(), graph, bench.recorded_results(), bench.results(graph));
  if (!change) {
    proof.sentence += "; all results are the same.";
    return proof;
  }
  proof.verdict = ProofVerdict::withdrawn;
  proof.sentence += fmt::format("; but {}, so the declared byte ranges are not all that orders it.",
                                change_text(bench.trace(), *change));
  return proof;
}

}  // namespace reel::rerun
