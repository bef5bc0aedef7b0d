// Orders that a document allows: of commands that nothing orders, and without waits that are said
// to order nothing.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "document/trace/ranges.hpp"
#include "reel/units.hpp"
#include "replay/proof/experiments.hpp"
#include "replay/proof/orders.hpp"
#include "replay/script/relaxed.hpp"

namespace reel::rerun {

namespace {

constexpr std::uint32_t orders_tried = 8;

Plan on_one_stream(std::vector<Action> actions) {
  return {Plan::Way::one_stream, std::move(actions), {}};
}

// The order that times prove of pairs which nothing orders, but for one pair.
std::vector<KeptOrder::Wait> kept_but(const Bench& bench, std::uint32_t first,
                                      std::uint32_t second) {
  std::vector<KeptOrder::Wait> kept;
  for (const KeptOrder::Wait& wait : bench.script().kept)
    if (std::minmax(wait.command, wait.after) != std::minmax(first, second)) kept.push_back(wait);
  return kept;
}

}  // namespace

Proof other_order(const Trial& trial) {
  Bench& bench = trial.bench;
  const Trace& trace = bench.trace();
  bench.check_one_device();
  const std::uint64_t begin_ns = monotonic_ns();
  const Plan given = on_one_stream(bench.recorded().actions);
  const Bench::Results expected = bench.results(given);
  Proof proof;
  if (expected.empty()) return not_tried("The document has no results that could be compared.");
  if (bench.results(given) != expected) {
    proof.verdict = ProofVerdict::inconclusive;
    proof.sentence = "Results change from run to run in the recorded order already.";
    return proof;
  }
  std::uint32_t tried = 0;
  bool is_certain = false;
  std::string last_pair, why_not;
  for (const Race& race : find_unordered(trace)) {
    if (static_cast<double>(monotonic_ns() - begin_ns) > trial.seconds * 1e9) break;
    const std::uint32_t missing = bench.runs(race.first) ? race.second : race.first;
    if (!bench.runs(missing)) {
      const auto obstacle = bench.script().left_out.find(missing);
      if (obstacle != bench.script().left_out.end()) why_not = obstacle->second.reason;
      continue;
    }
    OrderWanted wanted{.also = kept_but(bench, race.first, race.second)};
    // As recorded: the second before the first, where times show that it was so.
    const auto turned = [&](const KeptOrder::Wait& wait) {
      return wait.command == race.first && wait.after == race.second;
    };
    const bool was_turned = std::ranges::any_of(bench.script().kept, turned);
    const std::uint32_t early = was_turned ? race.first : race.second,
                        late = was_turned ? race.second : race.first;
    wanted.also.push_back({late, early});
    Plan other = on_one_stream(ordered(trace, given.actions, wanted));
    if (other.actions.empty()) {  // other pairs hold it: these two alone
      wanted.also = {{late, early}};
      other = on_one_stream(ordered(trace, given.actions, wanted));
    }
    if (other.actions.empty()) continue;  // nodes of one launch, on one stream
    ++tried;
    is_certain |= race.is_certain;
    last_pair = fmt::format("{} before {}", command_name(early), command_name(late));
    if (const auto change = bench.first_change(given, other, expected, bench.results(other))) {
      proof.verdict = ProofVerdict::supported;
      proof.runs = tried;
      proof.sentence = fmt::format("With {}, which nothing forbids, {}.", last_pair,
                                   change_text(trace, *change));
      return proof;
    }
  }
  if (tried == 0 && !why_not.empty()) return not_tried(why_not);
  if (tried == 0) {
    if (const auto race = observed_race(bench.stage(), bench.heart())) {
      proof.verdict = ProofVerdict::supported;
      proof.sentence = fmt::format(
          "In another order that the byte ranges allow, {} and {} the "
          "other way round, results change.",
          command_name(race->first), command_name(race->second));
      return proof;
    }
    proof.verdict = ProofVerdict::inconclusive;
    proof.sentence = "Other orders that the byte ranges allow give the same results.";
    return proof;
  }
  proof.runs = tried;
  // What both declare to touch they may still spoil when they run at once.
  proof.verdict = is_certain ? ProofVerdict::inconclusive : ProofVerdict::withdrawn;
  proof.sentence = fmt::format(
      "The other way round all results are the same: {}{}.", last_pair,
      tried > 1 ? fmt::format(", and {} others", count_text(tried - 1, "pair")) : std::string());
  if (is_certain) proof.sentence += " They would differ only where both run at once.";
  return proof;
}

namespace {

// The two touch the same bytes, and one writes.
bool conflict(const Trace& trace, std::uint32_t one, std::uint32_t other) {
  bool found = false;
  for_each_range(
      trace, trace.work_of(trace.commands()[one]), [&](const TraceArgument& a, Access first) {
        for_each_range(trace, trace.work_of(trace.commands()[other]),
                       [&](const TraceArgument& b, Access second) {
                         found |= a.buffer == b.buffer && (writes(first) || writes(second)) &&
                                  a.offset_bytes < b.offset_bytes + b.size_bytes &&
                                  b.offset_bytes < a.offset_bytes + a.size_bytes;
                       });
      });
  return found;
}

// The actions with those of `second` before those of `first`, and everything else that shares bytes
// with either where it was. Empty: others hold the two in place.
std::vector<Action> turned(const Trace& trace, const std::vector<Action>& actions,
                           std::uint32_t first, std::uint32_t second) {
  bool may_rise = true, may_sink = true;  // the second up to the first, or the other way
  for (std::uint32_t c = first + 1; c < second; ++c) {
    if (trace.commands()[c].stream != trace.commands()[first].stream &&
        trace.commands()[c].stream != trace.commands()[second].stream)
      continue;
    may_rise = may_rise && !conflict(trace, c, second);
    may_sink = may_sink && !conflict(trace, first, c);
  }
  if (!may_rise && !may_sink) return {};
  const std::uint32_t moved = may_rise ? second : first;
  std::vector<Action> result, block;
  for (const Action& action : actions)
    if (action.command == moved) block.push_back(action);
  const std::uint32_t at = may_rise ? first : second;
  bool is_placed = false;
  const auto place = [&] {
    if (!is_placed) result.insert(result.end(), block.begin(), block.end());
    is_placed = true;
  };
  for (const Action& action : actions) {
    if (action.command == moved) continue;
    if (may_rise ? action.command >= at : action.command > at) place();
    result.push_back(action);
  }
  place();
  return result;
}

}  // namespace

Proof turned_pairs(const Trial& trial) {
  Bench& bench = trial.bench;
  const Trace& trace = bench.trace();
  bench.check_one_device();
  const std::uint64_t begin_ns = monotonic_ns();
  const Plan given = on_one_stream(bench.recorded().actions);
  const Bench::Results expected = bench.results(given);
  Proof proof;
  if (expected.empty()) return not_tried("The document has no results that could be compared.");
  if (bench.results(given) != expected) {
    proof.verdict = ProofVerdict::inconclusive;
    proof.sentence = "Results change from run to run in the recorded order already.";
    return proof;
  }
  std::string last_pair, why_not = "Other commands hold each pair in its place.";
  const auto& pairs = trial.finding.evidence.commands;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (static_cast<double>(monotonic_ns() - begin_ns) > trial.seconds * 1e9) break;
    const std::uint32_t first = pairs[i], second = pairs[i + 1];
    if (!bench.runs(first) || !bench.runs(second)) {
      const auto obstacle = bench.script().left_out.find(bench.runs(first) ? second : first);
      if (obstacle != bench.script().left_out.end()) why_not = obstacle->second.reason;
      continue;
    }
    const Plan other = on_one_stream(turned(trace, given.actions, first, second));
    if (other.actions.empty()) continue;
    ++proof.runs;
    last_pair = fmt::format("{} before {}", command_name(second), command_name(first));
    if (const auto change = bench.first_change(given, other, expected, bench.results(other))) {
      proof.verdict = ProofVerdict::supported;
      proof.sentence = fmt::format("With {}, which nothing forbids, {}.", last_pair,
                                   change_text(trace, *change));
      return proof;
    }
  }
  if (proof.runs == 0) return not_tried(why_not);
  // A shader may leave alone what is bound to it; and two that run at once may still collide.
  proof.verdict = trial.finding.confidence == analysis::Confidence::certain
                      ? ProofVerdict::inconclusive
                      : ProofVerdict::withdrawn;
  proof.sentence = fmt::format(
      "The other way round all results are the same: {}{}.", last_pair,
      proof.runs > 1 ? fmt::format(", and {} others", count_text(proof.runs - 1, "pair"))
                     : std::string());
  return proof;
}

Proof without_waits(const Trial& trial) {
  Bench& bench = trial.bench;
  const Trace& trace = bench.trace();
  if (const std::string& why = bench.why_results_tell_nothing(); !why.empty())
    return not_tried(fmt::format("Nothing would be shown by leaving them out: {}.", why));
  std::set<std::uint32_t> named, barriers;
  for (const std::uint32_t c : trial.finding.evidence.commands) {
    const bool is_barrier = trace.work_of(trace.commands()[c]).kind == WorkKind::barrier;
    (is_barrier ? barriers : named).insert(c);
  }
  Plan plan = bench.without(barriers);
  for (const analysis::Dependency& d : trial.report.dependencies)
    if (d.kind == analysis::DependencyKind::redundant &&
        (named.contains(d.to) || barriers.contains(d.to)))
      plan.changes.without.insert({d.to, d.from});
  if (plan.changes.without.empty() && barriers.empty())
    return not_tried("The waits it names are not in the document.");
  const Bench::Results& expected = bench.recorded_results();
  Proof proof;
  const std::string without = fmt::format(
      "Without {}{}{}",
      plan.changes.without.empty() ? "" : count_text(plan.changes.without.size(), "wait"),
      plan.changes.without.empty() || barriers.empty() ? "" : " and ",
      barriers.empty() ? "" : count_text(barriers.size(), "barrier"));
  const auto fails = [&](const Plan& other) {
    const auto change = bench.first_change(bench.recorded(), other, expected, bench.results(other));
    if (!change) return false;
    proof.verdict = ProofVerdict::withdrawn;
    proof.sentence = fmt::format("{}, {}.", without, change_text(trace, *change));
    return true;
  };
  if (fails(plan)) return proof;
  bench.check_one_device();
  std::uint32_t tried = 1;
  for (std::uint32_t number = 0; number < orders_tried; ++number) {
    if (!plan.changes.without.empty()) {
      const Plan other = on_one_stream(ordered(
          trace, plan.actions,
          {.without = plan.changes.without, .also = bench.script().kept, .number = number}));
      if (other.actions.empty()) continue;
      ++tried;
      if (fails(other)) return proof;
    }
    if (barriers.empty()) continue;
    // Within its stream a barrier keeps nothing that the stream doesn't: only ranges count then.
    const auto by_ranges = [&](const std::vector<Action>& actions) {
      std::vector<Action> other;
      for (const std::uint32_t i : allowed_order(trace, actions, number))
        other.push_back(actions[i]);
      return on_one_stream(std::move(other));
    };
    ++tried;
    const Plan with = by_ranges(bench.recorded().actions);
    const bool holds_with =
        !bench.first_change(bench.recorded(), with, expected, bench.results(with));
    if (holds_with && fails(by_ranges(plan.actions))) return proof;
  }
  proof.verdict = ProofVerdict::supported;
  proof.sentence = fmt::format("{}, all results are the same in {} that the rest allows.", without,
                               count_text(tried, "order"));
  add_saving(trial, plan, trial.claimed_ns().value_or(0), proof);
  return proof;
}

}  // namespace reel::rerun
