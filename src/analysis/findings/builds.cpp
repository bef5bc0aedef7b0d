// Building kernels: what it took, before the first command too.
#include <fmt/format.h>

#include <map>

#include "analysis/findings/rules.hpp"
#include "analysis/time/device_work.hpp"
#include "analysis/time/host_calls.hpp"
#include "analysis/time/intervals.hpp"
#include "reel/units.hpp"

namespace reel::analysis {
namespace {

// visit(call, index) for each build. Not of calls that gave a command, which are that command's.
template <class F>
void for_each_build(const Trace& trace, F&& visit) {
  const HostCalls kinds(trace);
  const TraceCalls& calls = trace.calls();
  for (std::size_t i = calls.next_other(0); i < calls.size(); i = calls.next_other(i + 1))
    if (const TraceCall call = calls[i]; call.command == no_index && call.end_ns > call.begin_ns &&
                                         kinds.kind_of(call) == CallKind::build)
      visit(call, static_cast<std::uint32_t>(i));
}

}  // namespace

std::uint64_t building_ns(const Trace& trace) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for_each_build(trace, [&](const TraceCall& call, std::uint32_t) {
    spans.emplace_back(call.begin_ns, call.end_ns);
  });
  return Intervals(std::move(spans)).total();
}

void build_rule(const Case& c, Findings& findings) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> calls;  // time, index
  std::map<std::uint32_t, std::uint64_t> by_name;
  std::uint64_t before_first = 0;
  std::uint64_t first_start = ~std::uint64_t{0};
  for (const Lane& lane : c.report.activity.devices)
    if (lane.timed) first_start = std::min(first_start, lane.begin_ns);
  for_each_build(c.trace, [&](const TraceCall& call, std::uint32_t i) {
    spans.emplace_back(call.begin_ns, call.end_ns);
    calls.emplace_back(call.end_ns - call.begin_ns, i);
    by_name[call.name] += call.end_ns - call.begin_ns;
    if (call.end_ns <= first_start) before_first += call.end_ns - call.begin_ns;
  });
  // Builds that overlap, on several threads or one within the other, count once.
  const Intervals building(std::move(spans));
  const std::uint64_t span = c.report.activity.span_ns(), sum = building.total();
  if (sum == 0 || sum * 10 < span) return;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> running;
  for (std::uint32_t i = 0; i < c.commands.size(); ++i)
    if (const TraceCommand command = c.command(i);
        command.has_run_times() && is_device_work(c.trace, c.work(i)))
      running.emplace_back(command.started_ns, command.ended_ns);
  const Intervals busy(std::move(running));
  std::uint64_t alone = 0;
  building.for_each_within(0, ~std::uint64_t{0}, [&](std::uint64_t begin, std::uint64_t end) {
    alone += end - begin - busy.covered(begin, end);
  });
  std::ranges::stable_sort(calls, std::ranges::greater{},
                           [](const auto& call) { return call.first; });
  const auto most =
      std::ranges::max_element(by_name, {}, [](const auto& entry) { return entry.second; });
  const TraceCall longest = c.trace.calls()[calls[0].second];
  Finding finding{.id = "build", .severity = Severity::warning};
  finding.title = fmt::format(
      "Building kernels took {} ({} of all that was recorded), mostly {}; the longest of {} took "
      "{}.",
      time_text(sum), share_text(sum, span), c.trace.text(most->first),
      count_text(calls.size(), "call"), time_text(calls[0].first));
  const bool has_runs = first_start != ~std::uint64_t{0};
  if (has_runs && before_first * 2 > sum) {
    finding.title += " Most of it was before the first command ran.";
    finding.advice =
        "Build once and keep the binaries, or build fewer kernels; measure without the time before "
        "the first command.";
  } else {
    finding.advice = has_runs ? "Build before the first command, each program once, and keep them."
                              : "Build once and keep the binaries, or build fewer kernels.";
  }
  finding.numbers = {{"building", "ns", static_cast<double>(sum)},
                     {"calls", "", static_cast<double>(calls.size())},
                     {"before_first_command", "ns", static_cast<double>(before_first)}};
  for (std::size_t i = 0; i < std::min(calls.size(), most_evidence); ++i)
    finding.evidence.calls.push_back(calls[i].second);
  finding.evidence.begin_ns = longest.begin_ns;
  finding.evidence.end_ns = longest.end_ns;
  finding.saving_ns = alone;
  finding.formula = "time spent building while no device ran anything";
  findings.push_back(std::move(finding));
}

}  // namespace reel::analysis
