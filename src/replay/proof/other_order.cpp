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

// Pairs of commands the other way round, one pair after the other, until results change.
class PairTrials {
 public:
  explicit PairTrials(const Trial& trial) : trial_(trial) {
    trial.bench.check_one_device();
    given_ = on_one_stream(trial.bench.recorded().actions);
    expected_ = trial.bench.results(given_);
  }

  // Set where there is nothing to compare with.
  std::optional<Proof> obstacle() const {
    if (expected_.empty()) return not_tried("The document has no results that could be compared.");
    if (trial_.bench.results(given_) == expected_) return std::nullopt;
    Proof proof;
    proof.verdict = ProofVerdict::inconclusive;
    proof.sentence = "Results change from run to run in the recorded order already.";
    return proof;
  }
  const std::vector<Action>& given() const noexcept { return given_.actions; }
  bool has_time() const {
    return static_cast<double>(monotonic_ns() - begin_ns_) <= trial_.seconds * 1e9;
  }
  // Are both run here? Where not, why_not() says why.
  bool can_run(std::uint32_t first, std::uint32_t second) {
    const Bench& bench = trial_.bench;
    const std::uint32_t missing = bench.runs(first) ? second : first;
    if (bench.runs(missing)) return true;
    const auto obstacle = bench.script().left_out.find(missing);
    if (obstacle != bench.script().left_out.end()) why_not_ = obstacle->second.reason;
    return false;
  }
  const std::string& why_not() const noexcept { return why_not_; }

  // Set where results change with `early` before `late`.
  std::optional<Proof> try_order(const Plan& other, std::uint32_t early, std::uint32_t late) {
    ++tried_;
    last_pair_ = fmt::format("{} before {}", command_name(early), command_name(late));
    Bench& bench = trial_.bench;
    const auto change = bench.first_change(given_, other, expected_, bench.results(other));
    if (!change) return std::nullopt;
    return proof(ProofVerdict::supported,
                 fmt::format("With {}, which nothing forbids, {}.", last_pair_,
                             change_text(bench.trace(), *change)));
  }
  std::uint32_t tried() const noexcept { return tried_; }
  Proof none_changed(ProofVerdict verdict) const {
    return proof(
        verdict,
        fmt::format("The other way round all results are the same: {}{}.", last_pair_,
                    tried_ > 1 ? fmt::format(", and {} others", count_text(tried_ - 1, "pair"))
                               : std::string()));
  }

 private:
  Proof proof(ProofVerdict verdict, std::string sentence) const {
    Proof result;
    result.verdict = verdict;
    result.runs = tried_;
    result.sentence = std::move(sentence);
    return result;
  }

  const Trial& trial_;
  const std::uint64_t begin_ns_ = monotonic_ns();
  Plan given_;
  Bench::Results expected_;
  std::uint32_t tried_ = 0;
  std::string last_pair_, why_not_;
};

}  // namespace

Proof other_order(const Trial& trial) {
  Bench& bench = trial.bench;
  const Trace& trace = bench.trace();
  PairTrials trials(trial);
  if (auto obstacle = trials.obstacle()) return *obstacle;
  bool is_certain = false;
  for (const Race& race : find_unordered(trace)) {
    if (!trials.has_time()) break;
    if (!trials.can_run(race.first, race.second)) continue;
    OrderWanted wanted{.also = kept_but(bench, race.first, race.second)};
    // As recorded: the second before the first, where times show that it was so.
    const auto turned = [&](const KeptOrder::Wait& wait) {
      return wait.command == race.first && wait.after == race.second;
    };
    const bool was_turned = std::ranges::any_of(bench.script().kept, turned);
    const std::uint32_t early = was_turned ? race.first : race.second,
                        late = was_turned ? race.second : race.first;
    wanted.also.push_back({late, early});
    Plan other = on_one_stream(ordered(trace, trials.given(), wanted));
    if (other.actions.empty()) {  // other pairs hold it: these two alone
      wanted.also = {{late, early}};
      other = on_one_stream(ordered(trace, trials.given(), wanted));
    }
    if (other.actions.empty()) continue;  // nodes of one launch, on one stream
    is_certain |= race.is_certain;
    if (auto proof = trials.try_order(other, early, late)) return *proof;
  }
  if (trials.tried() == 0) {
    if (!trials.why_not().empty()) return not_tried(trials.why_not());
    Proof proof;
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
  // What both declare to touch they may still spoil when they run at once.
  Proof proof =
      trials.none_changed(is_certain ? ProofVerdict::inconclusive : ProofVerdict::withdrawn);
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
  PairTrials trials(trial);
  if (auto obstacle = trials.obstacle()) return *obstacle;
  const auto& pairs = trial.finding.evidence.commands;
  for (std::size_t i = 0; i + 1 < pairs.size() && trials.has_time(); i += 2) {
    const std::uint32_t first = pairs[i], second = pairs[i + 1];
    if (!trials.can_run(first, second)) continue;
    const Plan other = on_one_stream(turned(trial.bench.trace(), trials.given(), first, second));
    if (other.actions.empty()) continue;
    if (auto proof = trials.try_order(other, second, first)) return *proof;
  }
  if (trials.tried() == 0)
    return not_tried(trials.why_not().empty() ? "Other commands hold each pair in its place."
                                              : trials.why_not());
  // A shader may leave alone what is bound to it; and two that run at once may still collide.
  return trials.none_changed(trial.finding.confidence == analysis::Confidence::certain
                                 ? ProofVerdict::inconclusive
                                 : ProofVerdict::withdrawn);
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
