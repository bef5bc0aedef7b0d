// Work that nobody needs: left out, and results compared.
#include <fmt/format.h>

#include "base/clock.hpp"
#include "document/trace/ranges.hpp"
#include "reel/units.hpp"
#include "replay/proof/experiments.hpp"

namespace reel::rerun {

namespace {

constexpr std::uint32_t unlikely_byte = 0xa5;

double own_ns(const Trial& trial, const std::set<std::uint32_t>& commands) {
  double sum = 0;
  for (const std::uint32_t c : commands) sum += static_cast<double>(trial.report.own_ns[c]);
  return sum;
}

// Other bytes in place of those that these commands write, and nobody looks right after them: who
// reads them sees a difference, also where the old bytes would have been as good.
Plan scrambled(Bench& bench, const std::set<std::uint32_t>& commands) {
  const Trace& trace = bench.trace();
  std::map<std::uint32_t, Command> others;
  for (const std::uint32_t c : commands)
    for_each_range(
        trace, trace.work_of(trace.commands()[c]), [&](const TraceArgument& range, Access access) {
          if (!writes(access)) return;
          others.insert(
              {c,
               {Fill{bench.stage().range(range.buffer, range.offset_bytes, range.size_bytes),
                     unlikely_byte, 1},
                "other bytes"}});
        });
  Plan plan = bench.with_others(others);
  std::erase_if(plan.actions, [&](const Action& action) {
    return action.kind == Action::Kind::look && commands.contains(action.command);
  });
  return plan;
}

// What changes without them.
using Without = Plan (*)(Bench&, const std::set<std::uint32_t>&);
std::optional<Change> change_without(Bench& bench, const std::set<std::uint32_t>& commands,
                                     Without make) {
  const Plan plan = make(bench, commands);
  return bench.first_change(bench.recorded(), plan, bench.recorded_results(), bench.results(plan));
}

Proof try_without(const Trial& trial, Without make, const char* what_was_done) {
  Bench& bench = trial.bench;
  const std::uint64_t begin_ns = monotonic_ns();
  const std::set<std::uint32_t> commands = named_commands(trial);
  if (commands.empty()) return not_tried("None of these commands can be run here.");
  if (const std::string& why = bench.why_results_tell_nothing(); !why.empty())
    return not_tried(fmt::format("Nothing would be shown by leaving them out: {}.", why));
  Proof proof;
  const std::string names = names_text(commands);
  if (const auto change = change_without(bench, commands, make)) {
    // One of them may be needed, and the others not.
    std::set<std::uint32_t> needed;
    std::size_t tried = 0;
    for (const std::uint32_t c : commands) {
      if (static_cast<double>(monotonic_ns() - begin_ns) > trial.seconds * 1e9) break;
      ++tried;
      if (change_without(bench, {c}, make)) needed.insert(c);
    }
    proof.verdict = ProofVerdict::withdrawn;
    proof.sentence =
        fmt::format("{} {}, {}.", what_was_done, names, change_text(bench.trace(), *change));
    if (commands.size() > 1 && !needed.empty())
      proof.sentence += fmt::format(" Tried one by one, {} of {} {} needed: {}.", needed.size(),
                                    tried, needed.size() == 1 ? "is" : "are", names_text(needed));
    return proof;
  }
  proof.verdict = ProofVerdict::supported;
  proof.sentence = fmt::format("{} {}, all results are the same.", what_was_done, names);
  add_saving(trial, bench.without(commands), own_ns(trial, commands), proof);
  return proof;
}

}  // namespace

Proof left_out(const Trial& trial) {
  return try_without(
      trial,
      [](Bench& bench, const std::set<std::uint32_t>& commands) { return bench.without(commands); },
      "Without");
}

Proof never_read(const Trial& trial) {
  trial.bench.check_one_device();
  return try_without(trial, scrambled, "With other bytes in place of what is written by");
}

}  // namespace reel::rerun
