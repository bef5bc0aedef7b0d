#include "replay/proof/experiments.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reel/units.hpp"

namespace reel::rerun {

std::set<std::uint32_t> named_commands(const Trial& trial) {
  std::set<std::uint32_t> commands;
  for (const std::uint32_t c : trial.finding.evidence.commands)
    if (trial.bench.runs(c)) commands.insert(c);
  return commands;
}

std::string names_text(const std::set<std::uint32_t>& commands) {
  // One that is left is as short as that one is left.
  const std::size_t shown = commands.size() == 4 ? 4 : 3;
  std::vector<std::string> names;
  for (const std::uint32_t c : commands)
    if (names.size() < shown) names.push_back(command_name(c));
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (commands.size() > shown) return fmt::format("{} and {} more", text, commands.size() - shown);
  if (const auto comma = text.rfind(", "); comma != std::string::npos)
    text.replace(comma, 2, " and ");
  return text;
}

std::string ns_text(double ns) {
  return time_text(static_cast<std::uint64_t>(std::llround(std::abs(ns))));
}

std::string saving_text(const Saving& saving) {
  const auto with_sign = [](double ns) { return (ns < 0 ? "-" : "") + ns_text(ns); };
  if (saving.ns < 0)
    return fmt::format("{} lost ({} to {}, {} pairs of runs)", ns_text(saving.ns),
                       with_sign(-saving.high_ns), with_sign(-saving.low_ns), saving.runs);
  return fmt::format("{} saved ({} to {}, {} pairs of runs)", ns_text(saving.ns),
                     with_sign(saving.low_ns), with_sign(saving.high_ns), saving.runs);
}

void take(const Saving& saving, Proof& proof) {
  proof.measured_ns = saving.ns;
  proof.noise_ns = saving.noise_ns();
  proof.runs = saving.runs;
}

Proof not_tried(std::string why) {
  Proof proof;
  proof.sentence = std::move(why);
  return proof;
}

void add_verdict(const Saving& saving, std::optional<double> claimed_ns, Proof& proof) {
  take(saving, proof);
  proof.verdict = judge(saving, claimed_ns);
  if (claimed_ns) proof.sentence += fmt::format(" of {} claimed", ns_text(*claimed_ns));
  if (is_more_than_claimed(saving, claimed_ns)) {
    proof.sentence +=
        ", more than there is to save: the experiment changes more than this finding is about, or "
        "something else slowed the runs";
    return;
  }
  if (proof.verdict != ProofVerdict::inconclusive) return;
  proof.sentence +=
      saving.low_ns > 0 ? ", which may be less than a tenth of it" : "; not significant";
}

void add_saving(const Trial& trial, const Plan& after, double claimed_ns, Proof& proof) {
  const auto saving = trial.bench.measure(trial.bench.recorded(), after, trial.seconds);
  if (!saving) {
    proof.sentence += " " + trial.bench.why_too_few();
    return;
  }
  take(*saving, proof);
  proof.sentence += fmt::format(" Measured: {}", saving_text(*saving));
  if (claimed_ns > 0) proof.sentence += fmt::format(" of {} claimed", ns_text(claimed_ns));
  proof.sentence += saving->low_ns > 0 || saving->high_ns < 0 ? "." : "; not significant.";
}

}  // namespace reel::rerun
