// What the time of a kernel is worth to the whole: all launches as they were, with next to no work.
#include <fmt/format.h>

#include "reel/units.hpp"
#include "replay/proof/experiments.hpp"

namespace reel::rerun {

namespace {

// The same launch, of its first group alone; none where it has no more.
std::optional<Command> first_group_of(const Command& command) {
  const auto* dispatch = std::get_if<Dispatch>(&command.work);
  if (!dispatch || dispatch->indirect.buffer) return std::nullopt;
  Dispatch smaller = *dispatch;
  if (dispatch->items != unset_dim) {
    smaller.items = dispatch->group_size == unset_dim ? Dim3{1, 1, 1} : dispatch->group_size;
    if (smaller.items.count() >= dispatch->items.count()) return std::nullopt;
  } else if (dispatch->groups.count() < 2) {
    return std::nullopt;
  }
  smaller.groups = {1, 1, 1};
  Command result = command;
  result.work = smaller;
  return result;
}

}  // namespace

// The critical path says what a kernel of half the time would save. Without its work the whole
// saves twice that; without its launches, which it would still need, it would save more.
Proof one_group(const Trial& trial) {
  if (trial.finding.evidence.kernels.empty())
    return not_tried("It names no kernel whose time would change anything.");
  Bench& bench = trial.bench;
  bench.check_one_device();
  const std::uint32_t kernel = trial.finding.evidence.kernels.front();
  const Trace& trace = bench.trace();
  std::map<std::uint32_t, Command> smaller;
  std::size_t runs = 0;
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    const TraceWork& work = trace.work_of(trace.commands()[c]);
    if (work.kind != WorkKind::dispatch || work.kernel != kernel || !bench.runs(c)) continue;
    ++runs;
    for (const KeptCommand& kept : bench.stage().commands(c))
      if (auto one = first_group_of(kept.command)) smaller.insert({c, std::move(*one)});
  }
  if (smaller.empty())
    return not_tried("Runs of this kernel have one group each, so none can be taken away.");
  Proof proof;
  auto saving = bench.measure(bench.recorded(), bench.with_others(smaller), trial.seconds);
  if (!saving) return not_tried(bench.why_too_few());
  proof.sentence =
      fmt::format("With one group in each of {} of '{}', the whole takes {} instead of {}",
                  count_text(smaller.size(), "run"), trace.kernels()[kernel].name,
                  ns_text(saving->after_ns), ns_text(saving->before_ns));
  if (smaller.size() < runs)
    proof.sentence += fmt::format(" ({} had no more)", runs - smaller.size());
  if (saving->high_ns < 0) {
    proof.verdict = ProofVerdict::inconclusive;
    proof.sentence += ": it spreads its work over the groups it has.";
    return proof;
  }
  for (double* ns : {&saving->ns, &saving->low_ns, &saving->high_ns}) *ns /= 2;
  proof.sentence += fmt::format("; half of that is {}", saving_text(*saving));
  add_verdict(*saving, trial.claimed_ns(), proof);
  proof.sentence += '.';
  return proof;
}

}  // namespace reel::rerun
