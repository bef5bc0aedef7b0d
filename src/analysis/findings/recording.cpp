// How far the document itself can be trusted.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "analysis/findings/rules.hpp"
#include "analysis/time/intervals.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

void clock_rule(const Case& c, Findings& findings) {
  std::vector<std::uint32_t> backwards, early;
  std::uint64_t furthest = 0;
  for (std::uint32_t i = 0; i < c.commands.size(); ++i) {
    const TraceCommand& command = c.command(i);
    if (!command.has_run_times()) continue;
    const std::uint32_t device = c.trace.streams()[command.stream].device;
    const std::uint64_t error =
        device == no_index ? 0 : c.trace.devices()[device].clock_error_ns.value_or(0);
    if (command.ended_ns < command.started_ns ||
        (command.queued_ns && command.started_ns < command.queued_ns))
      backwards.push_back(i);
    else if (command.started_ns + error < command.call_begin_ns) {
      early.push_back(i);
      furthest = std::max(furthest, command.call_begin_ns - command.started_ns);
    }
  }
  if (backwards.empty() && early.empty()) return;
  Finding finding{.id = "clock", .severity = Severity::warning};
  if (!backwards.empty())
    finding.title = fmt::format(
        "{} ended before {} started, or started before {} queued: the device's clock can't be "
        "right.",
        count_text(backwards.size(), "command"), backwards.size() == 1 ? "it" : "they",
        backwards.size() == 1 ? "it was" : "they were");
  else
    finding.title = fmt::format(
        "{} to have started before {} enqueued, by up to {}: the clocks of host and device don't "
        "fit together.",
        count_text(early.size(), "command") + (early.size() == 1 ? " seems" : " seem"),
        early.size() == 1 ? "it was" : "they were", time_text(furthest));
  finding.advice = "Don't trust gaps and waiting times shorter than that.";
  finding.numbers = {{"backwards", "", static_cast<double>(backwards.size())},
                     {"early", "", static_cast<double>(early.size())},
                     {"furthest", "ns", static_cast<double>(furthest)}};
  backwards.insert(backwards.end(), early.begin(), early.end());
  finding.evidence.commands = some(std::move(backwards));
  findings.push_back(std::move(finding));
}

namespace {

struct OwnWaits {
  std::size_t count = 0;
  std::uint64_t ns = 0;
};

// Waits of a capture on threads of the program. Not for the document to be closed, once it stops.
OwnWaits waits_of_program(const Trace& trace) {
  OwnWaits waits;
  std::uint64_t stops_ns = ~std::uint64_t{0};
  for (const TraceOverhead& overhead : trace.overheads())
    if (overhead.kind == OverheadKind::stopping) stops_ns = std::min(stops_ns, overhead.begin_ns);
  for (const TraceOverhead& overhead : trace.overheads())
    if (overhead.kind == OverheadKind::waiting && overhead.begin_ns < stops_ns) {
      ++waits.count;
      waits.ns += overhead.end_ns - overhead.begin_ns;
    }
  return waits;
}

// Three times that are easily taken for one: within what was recorded, before and after it on the
// program's threads, and on a thread of its own. `others` adds up threads, `overhead` counts each
// moment once.
std::string recording_title(std::uint64_t others, std::uint64_t writing, std::uint64_t overhead,
                            std::uint64_t span) {
  std::string title = fmt::format("Recording took {} of the {} that were recorded ({})",
                                  time_text(overhead), time_text(span), share_text(overhead, span));
  std::vector<std::string> besides;
  if (others > overhead && (others - overhead) * 100 >= span)
    besides.push_back(
        fmt::format("{} before it began, after it ended or on several threads at once",
                    time_text(others - overhead)));
  if (writing)
    besides.push_back(fmt::format("{} of CPU time on a thread of its own", time_text(writing)));
  if (besides.empty()) return title + ".";
  return fmt::format("{}; besides {}.", title, fmt::join(besides, ", and "));
}

}  // namespace

void capture_rule(const Case& c, Findings& findings) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const TraceOverhead& o : c.trace.overheads())
    if (o.kind != OverheadKind::writing) spans.emplace_back(o.begin_ns, o.end_ns);
  const auto by_kind = overhead_ns(c.trace.overheads());
  const std::uint64_t total = std::accumulate(by_kind.begin(), by_kind.end(), std::uint64_t{0});
  const std::uint64_t writing = by_kind[static_cast<std::size_t>(OverheadKind::writing)];
  const std::uint64_t overhead =
      Intervals(std::move(spans)).covered(c.report.activity.begin_ns, c.report.activity.end_ns);
  // Gaps of this cause are the recording's own work, and those between pieces of graphs that
  // it takes apart.
  const std::uint64_t between_nodes = idle_between_nodes_ns(c);
  const std::uint64_t idle =
      c.report.activity.idle_ns[static_cast<std::size_t>(IdleCause::capture)] - between_nodes;
  std::uint64_t untimed = 0;
  for (std::uint32_t i = 0; i < c.commands.size(); ++i) {
    const WorkKind kind = c.work(i).kind;
    const bool has_time = kind != WorkKind::barrier && kind != WorkKind::host_call;
    untimed += has_time && !c.command(i).has_run_times() && !c.trace.interval_of(i);
  }
  const std::uint64_t span = c.report.activity.span_ns();
  Finding finding{.id = "capture"};
  if (span == 0)
    finding.title = c.trace.is_complete() ? "The document has no timestamps."
                                          : "No timestamps of the document can be read.";
  else if (total == 0)
    finding.title = "How long recording took was not recorded.";
  else
    finding.title = recording_title(total - writing, writing, overhead, span);
  if (idle)
    finding.title += fmt::format(" The device was idle for {} because of it.", time_text(idle));
  const OwnWaits waits = waits_of_program(c.trace);
  if (waits.count)
    finding.title += fmt::format(
        " It made the program wait {}, {} in all, where the program itself doesn't: for "
        "bytes to be read, or for memory.",
        waits.count == 1 ? "once" : fmt::format("{} times", waits.count), time_text(waits.ns));
  if (c.is_worth(between_nodes))
    finding.title += fmt::format(
        " Besides, it made the device idle for {} ({} of its time) between pieces of graphs, which "
        "it gives one by one: nodes where the driver tells no times within a graph, and what lies "
        "between decisions; the program alone launches each as one.",
        time_text(between_nodes), share_text(between_nodes, c.active_ns()));
  if (overhead * 10 >= span && span) {
    finding.severity = Severity::warning;
    const auto of = [&](OverheadKind kind) { return by_kind[static_cast<std::size_t>(kind)]; };
    const std::uint64_t contents = of(OverheadKind::inputs) + of(OverheadKind::checks) +
                                   of(OverheadKind::reading) + of(OverheadKind::waiting);
    finding.advice = "Times on the host include the recording: don't judge speed by them.";
    // Fewer contents save nothing where it is the commands that take the time.
    finding.advice +=
        contents > of(OverheadKind::commands)
            ? " With fewer contents (--contents hashes or none) it takes less."
            : " Most of it is noting each command, which fewer contents don't change.";
  }
  if (between_nodes * 10 >= c.active_ns() && between_nodes) {
    finding.severity = Severity::warning;
    if (!finding.advice.empty()) finding.advice += ' ';
    finding.advice +=
        "How long such a launch takes without a capture is not in this document: measure it in the "
        "program.";
  }
  if (untimed) {
    finding.title += fmt::format(" {} without times: nothing is said of when {} ran.",
                                 count_text(untimed, "command") + (untimed == 1 ? " is" : " are"),
                                 untimed == 1 ? "it" : "they");
  }
  if (!c.trace.is_complete()) {
    finding.severity = Severity::warning;
    finding.title += " The document is incomplete; what follows its last command is unknown.";
  }
  if (!c.trace.notes().empty())
    finding.title += fmt::format(" {} in it.", count_text(c.trace.notes().size(), "note"));
  finding.numbers = {{"overhead", "ns", static_cast<double>(total)},
                     {"waits", "", static_cast<double>(waits.count)},
                     {"overlap", "ns", static_cast<double>(overhead)},
                     {"idle", "ns", static_cast<double>(idle)},
                     {"between_nodes", "ns", static_cast<double>(between_nodes)},
                     {"writing", "ns", static_cast<double>(writing)},
                     {"untimed", "", static_cast<double>(untimed)},
                     {"notes", "", static_cast<double>(c.trace.notes().size())},
                     {"problems", "", static_cast<double>(c.trace.problems().size())}};
  findings.push_back(std::move(finding));
}

}  // namespace reel::analysis
