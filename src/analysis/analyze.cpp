#include "analysis/time/activity.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

Report analyze(const Trace& trace, const AnalysisOptions& options) {
  const auto say = [&](std::string_view what, double part) {
    if (options.progress) options.progress(what, part);
  };
  Report report;
  report.own_ns = own_run_ns(trace);
  say("Looking at activity", 0);
  report.activity = find_activity(trace, report.own_ns);
  report.verdict = find_verdict(report.activity);
  if (options.dependencies) {
    say("Looking at dependencies", 0.2);
    Dependencies found = find_dependencies(trace);
    report.dependencies = std::move(found.edges);
    report.dependency_sets = std::move(found.sets);
    report.order_unfollowed_from = found.unfollowed_from;
  }
  say("Looking for the critical path", 0.5);
  report.path = find_longest_path(trace, report.activity);
  say("Looking at memory", 0.8);
  report.memory = find_memory(trace, report.activity);
  say("Looking for repetitions", 0.85);
  report.repetitions = find_repetitions(trace);
  report.passes = find_passes(trace, report.repetitions);
  report.kernels = find_kernel_usage(trace);
  say("Looked at everything", 1);
  return report;
}

}  // namespace reel::analysis
