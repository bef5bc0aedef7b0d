// What the end waited for, and how fast the busiest kernel moved its bytes.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/rules.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

void path_rule(const Case& c, Findings& findings) {
  const LongestPath& path = c.report.path;
  if (path.steps.empty() || path.span_ns == 0) return;
  // Of kernels whose times nobody knows, a path would say that they took none.
  const auto& kernels = c.report.kernels;
  if (!kernels.empty() &&
      std::ranges::all_of(kernels, [](const KernelUsage& kernel) { return kernel.timed == 0; }))
    return;
  Finding finding{.id = "cp"};
  finding.confidence = Confidence::likely;
  finding.title =
      fmt::format("The critical path of {} is {} commands, {} host work and {} waiting.",
                  time_text(path.span_ns), share_text(path.command_ns, path.span_ns),
                  share_text(path.host_ns, path.span_ns), share_text(path.delay_ns, path.span_ns));
  if (path.delay_ns * 2 >= path.span_ns) {
    const PathStep* longest = nullptr;
    for (const PathStep& step : path.steps)
      if (step.kind == PathStep::Kind::delay &&
          (!longest || step.end_ns - step.begin_ns > longest->end_ns - longest->begin_ns))
        longest = &step;
    const std::string in_call = during_text(c.trace, longest->begin_ns, longest->end_ns);
    finding.title +=
        fmt::format(" The longest wait is {}{}.", time_text(longest->end_ns - longest->begin_ns),
                    in_call.empty() ? ", before " + command_name(longest->command) : in_call);
  }
  finding.numbers = {{"span", "ns", static_cast<double>(path.span_ns)},
                     {"commands", "ns", static_cast<double>(path.command_ns)},
                     {"host", "ns", static_cast<double>(path.host_ns)},
                     {"delays", "ns", static_cast<double>(path.delay_ns)}};
  if (!path.halved.empty() && path.halved[0].span_ns < path.span_ns) {
    const WhatIf& best = path.halved[0];
    const std::uint64_t saving = path.span_ns - best.span_ns;
    finding.title +=
        fmt::format(" With kernel {} twice as fast, the whole would take {} less.",
                    kernel_text(c.trace, best.kernel), share_text(saving, path.span_ns));
    finding.advice =
        path.command_ns * 2 >= path.span_ns
            ? "Optimise what is on this path first; speeding up other work changes nothing."
            : "Shorten the waiting and the host work on this path first; commands are the smaller "
              "part of it.";
    finding.evidence.kernels = {best.kernel};
    finding.saving_ns = saving;
    finding.formula =
        "the recorded order again, every delay as it was, this kernel in half the time";
  }
  std::vector<const PathStep*> steps;
  for (const PathStep& step : path.steps)
    if (step.kind == PathStep::Kind::command) steps.push_back(&step);
  largest_first(steps, [](const PathStep& s) { return s.end_ns - s.begin_ns; });
  for (const PathStep* step : steps) {
    if (finding.evidence.commands.size() == most_evidence) break;
    finding.evidence.commands.push_back(step->command);
  }
  findings.push_back(std::move(finding));
}

namespace {

std::string rate_text(double gb_per_s) {
  if (gb_per_s >= 1) return fmt::format("{:.3g} GB/s", gb_per_s);
  return gb_per_s >= 1e-3 ? fmt::format("{:.3g} MB/s", gb_per_s * 1e3)
                          : fmt::format("{:.3g} kB/s", gb_per_s * 1e6);
}

// What the device gave when it was measured, where it was; else how to know.
void hold_against_peak(const Case& c, const KernelUsage& top, Finding& finding) {
  const std::uint32_t stream = c.command(top.first).stream;
  const DevicePeaks* peaks =
      stream == no_index ? nullptr : c.peaks_of(c.trace.streams()[stream].device);
  if (!peaks) {
    finding.advice =
        "What the device could give isn't known here; `reel bench --save` on its machine measures "
        "it.";
    return;
  }
  const double peak = peaks->bytes_per_s / 1e9, share = top.bandwidth() / peak;
  finding.title +=
      fmt::format(" That is {:.3g}% of the {} that this device gave `reel bench` on {}.",
                  100 * share, rate_text(peak), peaks->measured);
  finding.numbers.push_back({"peak", "GB/s", peak});
  finding.numbers.push_back({"of_peak", "%", 100 * share});
  if (share >= 0.6)
    finding.advice = "Memory may limit it: move fewer bytes, or keep them in caches.";
  else if (share < 0.1)
    finding.advice =
        "Unless it reads the same bytes many times, memory doesn't limit it: look at its "
        "arithmetic, its launch size and how it reads.";
}

}  // namespace

void bandwidth_rule(const Case& c, Findings& findings) {
  if (c.report.kernels.empty()) return;
  const KernelUsage& top = c.report.kernels[0];
  if (top.total_ns == 0 || top.bound_bytes == 0) return;
  Finding finding{.id = "bandwidth"};
  finding.confidence = Confidence::possible;
  finding.title = fmt::format(
      "Kernel {} took the most time, {} in {}, and moved at most {}, if it touched all it was "
      "given, "
      "once.",
      kernel_text(c.trace, top.kernel), time_text(top.total_ns), count_text(top.timed, "run"),
      rate_text(top.bandwidth()));
  finding.numbers = {{"at_most", "GB/s", top.bandwidth()},
                     {"given", "bytes", static_cast<double>(top.bound_bytes)}};
  finding.evidence.kernels = {top.kernel};
  hold_against_peak(c, top, finding);
  findings.push_back(std::move(finding));
}

}  // namespace reel::analysis
