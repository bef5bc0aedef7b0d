#include "analysis/findings/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/time/host_calls.hpp"
#include "analysis/time/idle.hpp"
#include "document/trace/holds_graph.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

std::uint64_t median(std::vector<std::uint64_t>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::optional<std::uint64_t> first_build_ns(const Trace& trace) {
  return HostCalls(trace).first_build_ns();
}

std::uint64_t idle_between_nodes_ns(const Case& c) {
  const Intervals recording = recording_work(c.trace);
  std::uint64_t sum = 0;
  for (const Gap& gap : c.report.activity.gaps)
    if (gap.cause == IdleCause::capture)
      sum += gap.size_ns() - recording.covered(gap.begin_ns, gap.end_ns);
  return sum;
}

std::string call_text(const Trace& trace, std::uint32_t name) {
  const std::string& text = trace.text(name);
  return text.starts_with("wait of ") ? "the " + text : text;  // the others are names of functions
}

During longest_call_during(const Trace& trace, std::uint64_t begin_ns, std::uint64_t end_ns) {
  std::uint64_t most = 0;
  std::uint32_t name = 0;
  for (const TraceCall& call : trace.calls()) {
    if (call.begin_ns >= end_ns) break;  // they are by begin
    const std::uint64_t begin = std::max(call.begin_ns, begin_ns);
    const std::uint64_t end = std::min(call.end_ns, end_ns);
    if (end <= begin || end - begin <= most) continue;
    most = end - begin;
    name = call.name;
  }
  return {name, most};
}

std::string during_text(const Trace& trace, std::uint64_t begin_ns, std::uint64_t end_ns) {
  const During call = longest_call_during(trace, begin_ns, end_ns);
  return call.ns * 2 >= end_ns - begin_ns && call.ns ? " in " + call_text(trace, call.name) : "";
}

std::vector<std::uint32_t> some(std::vector<std::uint32_t> list) {
  std::vector<std::uint32_t> named;  // each once
  for (const std::uint32_t one : list) {
    if (named.size() == most_evidence) break;
    if (std::ranges::find(named, one) == named.end()) named.push_back(one);
  }
  return named;
}

std::string cold_text(const Case& c, std::uint32_t kernel) {
  const WarmUp& warm_up = c.cold.of_kernel(kernel);
  if (warm_up.cold_runs == 0) return {};
  const std::string usual = time_text(warm_up.like_it_ns);
  if (warm_up.cold_runs == 1)
    return fmt::format("Its first run, {}, took {}, later ones like it {}",
                       command_name(warm_up.longest), time_text(warm_up.longest_ns), usual);
  return fmt::format("Its first {} took {}, the longest, {}, {}; later ones like that take {}",
                     count_text(warm_up.cold_runs, "run"), time_text(warm_up.cold_ns),
                     command_name(warm_up.longest), time_text(warm_up.longest_ns), usual);
}

std::string kernel_text(const Trace& trace, std::uint32_t kernel) {
  const TraceKernel& known = trace.kernels()[kernel];
  return fmt::format("'{}' ({})", known.name, name_of(known.id));
}

}  // namespace reel::analysis

namespace reel::analysis {

bool Case::has_work_of(std::initializer_list<WorkKind> kinds) const {
  return std::ranges::any_of(works, [&](const TraceWork& work) {
    return std::ranges::find(kinds, work.kind) != kinds.end();
  });
}

const DevicePeaks* Case::peaks_of(std::uint32_t device) const {
  if (device >= trace.devices().size()) return nullptr;
  const TraceDevice& its = trace.devices()[device];
  const auto found = std::ranges::find_if(peaks, [&](const DevicePeaks& row) {
    return row.name == its.name && row.driver == its.driver &&
           row.driver_version == its.driver_version;
  });
  return found == peaks.end() ? nullptr : &*found;
}

namespace {

// What would save less than a hundredth is true, and nothing to begin with. The critical path is
// told whatever a faster kernel would save.
void mark_small(const Case& c, Finding& finding) {
  if (finding.severity == Severity::error || finding.id == "cp" || !finding.saving_ns) return;
  finding.is_small = c.active_ns() > 0 && !c.is_worth(*finding.saving_ns);
  if (finding.is_small) finding.severity = Severity::info;
}

// A saved graph has the commands of its child graphs and branches behind its own, each once: in no
// order in which they run, so nothing is known of what comes before what.
bool is_graph_of_parts(const Trace& trace) {
  return holds_graph(trace) && std::ranges::any_of(trace.works(), [](const TraceWork& work) {
           return work.kind == WorkKind::launch || work.kind == WorkKind::opaque;
         });
}

}  // namespace

std::vector<Finding> find_insights(const Trace& trace, const Report& report) {
  return find_insights(trace, report, measured_peaks());
}

std::vector<Finding> find_insights(const Trace& trace, const Report& report,
                                   std::span<const DevicePeaks> peaks) {
  using namespace analysis;
  constexpr Rule rules[] = {
      verdict_rule,        idle_rule,      launch_bound_rule, launch_shape_rule,  fusion_rule,
      barrier_rule,        race_rule,      unfollowed_rule,   queues_rule,        host_access_rule,
      overlap_rule,        transfers_rule, decision_rule,     memory_rule,        alias_rule,
      path_rule,           bandwidth_rule, nan_rule,          uninitialised_rule, outlier_rule,
      nondeterminism_rule, clock_rule,     build_rule,        capture_rule};
  Findings findings;
  const Case its_case{trace, report, find_queue_sync(trace), peaks, ColdRuns(trace)};
  constexpr Rule rules_without_order[] = {verdict_rule, memory_rule, capture_rule};
  for (const Rule rule :
       is_graph_of_parts(trace) ? std::span<const Rule>(rules_without_order) : rules)
    rule(its_case, findings);
  put_together(findings);
  for (Finding& finding : findings) mark_small(its_case, finding);
  // Where recording took a tenth or more, everything below is to be read with that in mind.
  const auto is_disturbed = [](const Finding& finding) {
    return finding.id == "capture" && finding.severity != Severity::info;
  };
  const auto rank = [&](const Finding& finding) {
    return std::tuple(finding.id != "verdict", !is_disturbed(finding), finding.is_small,
                      finding.severity != Severity::error, ~finding.saving_ns.value_or(0),
                      ~finding.saving_bytes.value_or(0), finding.severity == Severity::info);
  };
  std::ranges::stable_sort(findings, {}, rank);
  return findings;
}

}  // namespace reel::analysis
