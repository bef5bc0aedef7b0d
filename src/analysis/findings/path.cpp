// What the end waited for, and how fast the busiest kernel moved its bytes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/findings/rules.hpp"
#include "document/trace/ranges.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

// The parts of a path in words, without those that are nothing.
std::string path_text(const PathParts& parts) {
  std::vector<std::string> list;
  const auto add = [&](std::uint64_t ns, const char* what) {
    if (ns * 1000 >= parts.sum_ns())
      list.push_back(fmt::format("{} {}", share_text(ns, parts.sum_ns()), what));
  };
  add(parts.command_ns, "commands");
  add(parts.behind_ns, "waiting while the device ran other commands");
  add(parts.host_ns, "host work");
  add(parts.delay_ns, "waiting while it was idle");
  add(parts.capture_ns, "recording");
  if (list.size() < 2) return fmt::format("{}", fmt::join(list, ""));
  const std::string last = std::move(list.back());
  list.pop_back();
  return fmt::format("{} and {}", fmt::join(list, ", "), last);
}

bool is_single_run(const Case& c, std::uint32_t kernel) {
  const WarmUp& warm_up = c.cold.of_kernel(kernel);
  return warm_up.other_runs + warm_up.cold_runs == 1;
}

// " The longest wait is 2.0 ms, before c5; 1.9 ms of it in Stream::synchronize()."
std::string longest_wait_text(const Case& c) {
  const TimeSpan active = c.report.activity.active_span();
  const PathStep* longest = nullptr;
  TimeSpan span;
  for (const PathStep& step : c.report.path.steps) {
    const std::uint64_t begin = std::max(step.begin_ns, active.begin_ns);
    const std::uint64_t end = std::min(step.end_ns, active.end_ns);
    if (step.kind != PathStep::Kind::delay || begin >= end ||
        (longest && end - begin <= span.end_ns - span.begin_ns))
      continue;
    longest = &step;
    span = {begin, end};
  }
  if (!longest) return {};
  const During call = longest_call_during(c.trace, span.begin_ns, span.end_ns);
  const std::uint64_t whole = span.end_ns - span.begin_ns;
  return fmt::format(
      " The longest wait is {}, before {}{}.", time_text(whole), command_name(longest->command),
      call.ns * 2 < whole || call.ns == 0
          ? std::string()
          : fmt::format("; {} of it in {}", time_text(call.ns), call_text(c.trace, call.name)));
}

// Of the path, what is first runs that took far longer than later ones like them.
struct ColdPart {
  std::uint64_t ns = 0, longest_ns = 0;
  std::uint32_t longest = no_index;  // command
};

ColdPart cold_part(const Case& c) {
  const TimeSpan active = c.report.activity.active_span();
  ColdPart part;
  for (const PathStep& step : c.report.path.steps) {
    const std::uint64_t begin = std::max(step.begin_ns, active.begin_ns);
    const std::uint64_t end = std::min(step.end_ns, active.end_ns);
    if (step.kind != PathStep::Kind::command || begin >= end || !c.cold.contains(step.command))
      continue;
    part.ns += end - begin;
    if (end - begin <= part.longest_ns) continue;
    part.longest_ns = end - begin;
    part.longest = step.command;
  }
  return part;
}

// About what is the program's: recording is not.
std::string path_advice(const PathParts& parts, std::uint64_t cold_ns) {
  if (cold_ns * 2 >= parts.sum_ns())
    return "Most of it is warming up: capture later passes before you judge what to optimise.";
  const std::uint64_t working = parts.command_ns + parts.behind_ns;
  if (working < parts.host_ns + parts.delay_ns)
    return "Shorten the waiting and the host work on this path first; commands are the smaller "
           "part "
           "of it.";
  return parts.behind_ns > parts.command_ns
             ? "Shorten the commands that the ones on this path wait for: the device runs one "
               "after "
               "the other."
             : "Optimise what is on this path first; speeding up other work changes nothing.";
}

}  // namespace

void path_rule(const Case& c, Findings& findings) {
  const LongestPath& path = c.report.path;
  const PathParts& parts = path.parts;
  if (path.steps.empty() || path.span_ns == 0 || parts.sum_ns() == 0) return;
  // Of kernels whose times nobody knows, a path would say that they took none.
  const auto& kernels = c.report.kernels;
  if (!kernels.empty() &&
      std::ranges::all_of(kernels, [](const KernelUsage& kernel) { return kernel.timed == 0; }))
    return;
  Finding finding{.id = "cp"};
  finding.confidence = Confidence::likely;
  finding.title = fmt::format("The critical path from the first start to the last end, {}, is {}.",
                              time_text(parts.sum_ns()), path_text(parts));
  if (parts.delay_ns * 2 >= parts.sum_ns()) finding.title += longest_wait_text(c);
  const ColdPart cold = cold_part(c);
  if (cold.ns * 10 >= parts.sum_ns()) {
    finding.title += fmt::format(
        " {} of it {} that took far longer than later ones like {}: {}.",
        share_text(cold.ns, parts.sum_ns()),
        cold.ns == cold.longest_ns ? "is the first run of a kernel" : "are first runs of kernels",
        cold.ns == cold.longest_ns ? "it" : "them",
        cold.ns == cold.longest_ns ? command_name(cold.longest)
                                   : fmt::format("the longest is {}", command_name(cold.longest)));
    finding.advice = path_advice(parts, cold.ns);
  }
  finding.numbers = {{"span", "ns", static_cast<double>(path.span_ns)},
                     {"active", "ns", static_cast<double>(parts.sum_ns())},
                     {"commands", "ns", static_cast<double>(parts.command_ns)},
                     {"behind", "ns", static_cast<double>(parts.behind_ns)},
                     {"host", "ns", static_cast<double>(parts.host_ns)},
                     {"delays", "ns", static_cast<double>(parts.delay_ns)},
                     {"capture", "ns", static_cast<double>(parts.capture_ns)},
                     {"first_runs", "ns", static_cast<double>(cold.ns)}};
  if (!path.halved.empty() && path.halved[0].span_ns < path.span_ns) {
    const WhatIf& best = path.halved[0];
    const std::uint64_t saving = path.span_ns - best.span_ns;
    finding.title += fmt::format(
        " With kernel {} twice as fast, all that was recorded would take {} of {} less.",
        kernel_text(c.trace, best.kernel), time_text(saving), time_text(path.span_ns));
    if (const std::string cold_runs = cold_text(c, best.kernel); !cold_runs.empty())
      finding.title += fmt::format(" {}: that is left as it was.", cold_runs);
    else if (is_single_run(c, best.kernel)) {
      finding.title += " It ran once, so how much of that is warming up isn't known.";
      finding.confidence = Confidence::possible;
    }
    finding.advice = path_advice(parts, cold.ns);
    finding.evidence.kernels = {best.kernel};
    finding.saving_ns = saving;
    finding.formula =
        "the recorded order again, every delay and cold first run as it was, this kernel in half "
        "the time";
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

// What a kernel's runs took and were given, without first runs that took far longer.
struct SteadyRuns {
  std::uint32_t kernel = no_index;
  std::uint64_t ns = 0, runs = 0, bytes = 0;
  double gb_per_s() const { return ns ? static_cast<double>(bytes) / static_cast<double>(ns) : 0; }
};

// Of the kernel that has most time in such runs.
SteadyRuns busiest(const Case& c) {
  SteadyRuns found;
  for (const KernelUsage& usage : c.report.kernels) {
    const WarmUp& warm_up = c.cold.of_kernel(usage.kernel);
    if (warm_up.other_ns > found.ns)
      found = {usage.kernel, warm_up.other_ns, warm_up.other_runs, usage.bound_bytes};
  }
  if (found.kernel == no_index || c.cold.of_kernel(found.kernel).cold_runs == 0) return found;
  for (std::uint32_t i = 0; i < c.trace.commands().size(); ++i)
    if (c.cold.contains(i) && c.work(i).kernel == found.kernel)
      found.bytes -= given_bytes(c.trace, c.work(i));
  return found;
}

// What the device gave when it was measured, where it was; else how to know.
void hold_against_peak(const Case& c, const SteadyRuns& top, std::uint32_t stream,
                       Finding& finding) {
  const DevicePeaks* peaks =
      stream == no_index ? nullptr : c.peaks_of(c.trace.streams()[stream].device);
  if (!peaks) {
    finding.advice =
        "What the device could give isn't known here; `reel bench --save` on its machine measures "
        "it.";
    return;
  }
  const double peak = peaks->bytes_per_s / 1e9, share = top.gb_per_s() / peak;
  finding.title +=
      fmt::format(" That is {:.3g}% of the {} that this device gave `reel bench` on {}.",
                  100 * share, rate_text(peak), peaks->measured);
  finding.numbers.push_back({"peak", "GB/s", peak});
  finding.numbers.push_back({"of_peak", "%", 100 * share});
  // A run that may be mostly warming up tells nothing of what limits the kernel.
  if (is_single_run(c, top.kernel)) return;
  if (share >= 0.6)
    finding.advice = "Memory may limit it: move fewer bytes, or keep them in caches.";
  else if (share < 0.1)
    finding.advice =
        "Unless it reads the same bytes many times, memory doesn't limit it: look at its "
        "arithmetic, its launch size and how it reads.";
}

}  // namespace

void bandwidth_rule(const Case& c, Findings& findings) {
  const SteadyRuns top = busiest(c);
  if (top.ns == 0 || top.bytes == 0) return;
  const WarmUp& warm_up = c.cold.of_kernel(top.kernel);
  const auto usage = std::ranges::find(c.report.kernels, top.kernel, &KernelUsage::kernel);
  Finding finding{.id = "bandwidth"};
  finding.confidence = Confidence::possible;
  finding.title = fmt::format(
      "Kernel {} took the most time{}, {} in {}, and moved at most {}, if it touched all it was "
      "given, once.",
      kernel_text(c.trace, top.kernel),
      c.cold.total_ns() ? " apart from first runs that took far longer than later ones" : "",
      time_text(top.ns), count_text(top.runs, "run"), rate_text(top.gb_per_s()));
  if (const std::string cold = cold_text(c, top.kernel); !cold.empty())
    finding.title += fmt::format(" {}; that is not counted here.", cold);
  else if (is_single_run(c, top.kernel))
    finding.title +=
        " It ran once, so how much of that is warming up isn't known: first use of memory, empty "
        "caches, code compiled at the first launch.";
  finding.numbers = {{"at_most", "GB/s", top.gb_per_s()},
                     {"given", "bytes", static_cast<double>(top.bytes)},
                     {"time", "ns", static_cast<double>(top.ns)},
                     {"first_runs", "ns", static_cast<double>(warm_up.cold_ns)}};
  finding.evidence.kernels = {top.kernel};
  hold_against_peak(c, top, c.command(usage->first).stream, finding);
  findings.push_back(std::move(finding));
}

}  // namespace reel::analysis
