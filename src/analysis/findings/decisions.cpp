// Launches that ended in a decision.
#include <fmt/format.h>

#include "analysis/findings/rules.hpp"
#include "document/trace/one_by_one.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

void decision_rule(const Case& c, Findings& findings) {
  const TraceNote* first = nullptr;
  std::uint64_t count = 0;
  for (const TraceNote& note : c.trace.notes()) {
    if (note.kind != decision_failed_kind) continue;
    if (!first) first = &note;
    ++count;
  }
  if (!first) return;
  Finding finding{.id = "decision.failed", .severity = Severity::error};
  finding.title = count == 1 ? "A launch failed: " + first->text
                             : fmt::format("{} failed in a decision. The first: {}",
                                           count_text(count, "launch"), first->text);
  finding.advice =
      "Give a while a limit that it doesn't reach (LoopLimits), or find out why its condition "
      "stays "
      "set; give a switch a branch for every value of its condition.";
  finding.numbers = {{"launches", "", static_cast<double>(count)}};
  // What it gave last is the read of its condition.
  std::uint32_t last = no_index;
  std::uint64_t given_ns = 0;
  for (std::uint32_t i = 0; i < c.commands.size(); ++i) {
    const std::uint64_t given = c.command(i).call_begin_ns;
    if (given == 0 || given > first->time_ns || given < given_ns) continue;
    given_ns = given;
    last = i;
  }
  if (last != no_index) finding.evidence.commands = {last};
  findings.push_back(std::move(finding));
}

}  // namespace reel::analysis
