#include "reel/diff.hpp"

namespace reel {

std::vector<std::uint64_t> own_run_ns(const Trace& trace) {
  std::vector<std::uint64_t> times;
  times.reserve(trace.commands().size());
  for (const TraceCommand& command : trace.commands()) {
    times.push_back(command.run_ns());
    if (command.launch != no_index && command.has_run_times()) times[command.launch] = 0;
  }
  return times;
}
Report analyze(const Trace& trace, const AnalysisOptions&) {
  Report report;
  report.own_ns = own_run_ns(trace);
  report.activity.devices.resize(trace.devices().size());
  report.activity.streams.resize(trace.streams().size());
  report.memory.buffers.resize(trace.buffers().size());
  report.path.kernel_ns.resize(trace.kernels().size());
  report.kernels.resize(trace.kernels().size());
  for (std::uint32_t k = 0; k < report.kernels.size(); ++k) report.kernels[k].kernel = k;
  return report;
}
std::vector<Finding> find_insights(const Trace&, const Report&) { return {}; }
std::string findings_json(const Trace&, const Report&, const std::vector<Finding>&) {
  return "{\"findings\":[]}";
}
TraceDiff diff(const Trace&, const Trace&, const AnalysisOptions&) { return {}; }
std::string diff_json(const Trace&, const Trace&, const TraceDiff&) { return "{}"; }
#define NAME(e, ...) \
  const char* to_string(e) noexcept { return ""; }
NAME(IdleCause) NAME(Bound) NAME(DependencyKind) NAME(Severity) NAME(Confidence) NAME(Change)

}  // namespace reel
