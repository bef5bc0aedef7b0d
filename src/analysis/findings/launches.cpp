// Launches that cost more than they bring, and kernels too small for the device.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/findings/rules.hpp"
#include "analysis/findings/tiny_chains.hpp"
#include "document/trace/ranges.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

[[gnu::always_inline]] inline bool is_dispatch(const Case& c, const TraceCommand& command) {
  return c.works[command.work].kind == WorkKind::dispatch && command.has_run_times();
}

// What a launch costs beside its kernel: the call on the host, or the gap before it where that is
// larger.
std::uint64_t launch_cost_ns(const Case& c) {
  std::vector<std::uint64_t> giving, gaps;
  giving.reserve(c.commands.size());
  for (const TraceCommand& command : c.commands)
    if (is_dispatch(c, command) && command.launch == no_index) giving.push_back(giving_ns(command));
  for (const Gap& gap : c.report.activity.gaps)
    if (gap.cause == IdleCause::launch) gaps.push_back(gap.size_ns());
  return std::max(median(giving), median(gaps));
}

// Launches can't cost more than the time the device had nothing to do for want of them.
std::uint64_t most_lost_ns(const Case& c) {
  const auto& idle = c.report.activity.idle_ns;
  return idle[static_cast<std::size_t>(IdleCause::host)] +
         idle[static_cast<std::size_t>(IdleCause::launch)];
}

// What recording adds to each call that gives a command, on average.
std::uint64_t recording_ns_per_call(const Case& c) {
  std::uint64_t sum = 0, calls = 0;
  for (const TraceOverhead& overhead : c.trace.overheads())
    if (overhead.kind == OverheadKind::commands) sum += overhead.end_ns - overhead.begin_ns;
  if (sum == 0) return 0;
  for (std::uint32_t i = 0; i < c.commands.size(); ++i) calls += c.command(i).launch == no_index;
  return sum / std::max<std::uint64_t>(1, calls);
}

}  // namespace

void launch_bound_rule(const Case& c, Findings& findings) {
  const std::uint64_t recording = recording_ns_per_call(c);
  // visit(command, run, call), in nanoseconds.
  const auto for_each_launch = [&](auto&& visit) {
    for (std::uint32_t i = 0; i < c.commands.size(); ++i) {
      const TraceCommand command = c.command(i);
      // Nodes of a graph were given by one call, and what has a predicate may have been skipped.
      if (!is_dispatch(c, command) || command.launch != no_index ||
          predicate_of(c.trace, c.works[command.work]))
        continue;
      if (command.call_end_ns <= command.call_begin_ns) continue;  // not known
      const std::uint64_t with_recording = giving_ns(command);
      visit(i, command.run_ns(), with_recording - std::min(with_recording, recording));
    }
  };
  std::vector<std::uint32_t> shorter;
  std::size_t launches = 0;
  std::uint64_t saving = 0;
  for_each_launch([&](std::uint32_t i, std::uint64_t run, std::uint64_t call) {
    ++launches;
    if (run >= call) return;
    shorter.push_back(i);
    saving += call - run;
  });
  saving = std::min(saving, most_lost_ns(c));
  if (launches < 16 || shorter.size() * 2 < launches || !c.is_worth(saving)) return;
  std::vector<std::uint64_t> runs, calls;
  runs.reserve(launches), calls.reserve(launches);
  for_each_launch([&](std::uint32_t, std::uint64_t run, std::uint64_t call) {
    runs.push_back(run);
    calls.push_back(call);
  });
  const std::uint64_t run = median(runs), call = median(calls);
  if (run >= call) return;
  Finding finding{.id = "launch.bound", .severity = Severity::warning};
  finding.confidence = Confidence::likely;
  finding.title = fmt::format("{} of {} took longer to launch than to run: median {} against {}.",
                              shorter.size(), count_text(runs.size(), "dispatch"), time_text(call),
                              time_text(run));
  finding.advice = "Record them into a graph and launch it as one, or give each kernel more work.";
  finding.numbers = {{"shorter", "", static_cast<double>(shorter.size())},
                     {"kernels", "", static_cast<double>(runs.size())},
                     {"median_run", "ns", static_cast<double>(run)},
                     {"median_call", "ns", static_cast<double>(call)}};
  finding.evidence.commands = some(std::move(shorter));
  finding.saving_ns = saving;
  finding.formula =
      "sum over these of (call - run), at most the time the device waited for launches";
  findings.push_back(std::move(finding));
}

void launch_shape_rule(const Case& c, Findings& findings) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::uint32_t>>
      few;  // kernel, groups
  std::vector<std::uint32_t> single;
  std::map<std::uint32_t, std::uint64_t> single_ns;
  for (std::uint32_t i = 0; i < c.commands.size(); ++i) {
    const TraceCommand command = c.command(i);
    if (!is_dispatch(c, command)) continue;
    const TraceWork& work = c.works[command.work];
    const std::uint32_t device = c.trace.streams()[command.stream].device;
    if (work.kernel == no_index || device == no_index) continue;
    if (!work.has_own_groups()) continue;
    const std::uint64_t groups = work.groups.count();
    // Of single items, larger groups come first: fewer groups would only make it worse.
    const bool is_single = work.group_size.count() == 1 && groups >= 64;
    if (!is_single && groups > 0 && groups < c.trace.devices()[device].compute_units)
      few[{work.kernel, groups}].push_back(i);
    if (is_single && !c.cold.contains(i)) {
      single.push_back(i);
      single_ns[work.kernel] += c.report.own_ns[i];
    }
  }
  for (auto& [key, commands] : few) {
    std::uint64_t sum = 0;
    // A launch that is slow once may be warming up, whatever its size.
    std::erase_if(commands, [&](std::uint32_t i) { return c.cold.contains(i); });
    for (const std::uint32_t i : commands) sum += c.report.own_ns[i];
    if (commands.empty() || sum * 20 < c.active_ns()) continue;
    const std::uint32_t device = c.trace.streams()[c.command(commands[0]).stream].device;
    Finding finding{.id = "launch.shape", .severity = Severity::warning};
    finding.confidence = Confidence::likely;
    finding.title = fmt::format(
        "Kernel {} ran {} for {}, in {} on a device of {} units.", kernel_text(c.trace, key.first),
        count_text(commands.size(), "time"), time_text(sum), count_text(key.second, "group"),
        c.trace.devices()[device].compute_units);
    finding.advice = "Split its work into more groups, so that every unit is used.";
    finding.numbers = {{"groups", "", static_cast<double>(key.second)},
                       {"units", "", static_cast<double>(c.trace.devices()[device].compute_units)},
                       {"time", "ns", static_cast<double>(sum)}};
    finding.evidence.kernels = {key.first};
    finding.evidence.commands = some(commands);
    findings.push_back(std::move(finding));
  }
  for (const auto& [kernel, ns] : single_ns) {
    if (ns * 20 < c.active_ns()) continue;
    Finding finding{.id = "launch.shape", .severity = Severity::warning};
    finding.confidence = Confidence::likely;
    finding.title = fmt::format("Kernel {} ran {} in groups of one item.",
                                kernel_text(c.trace, kernel), time_text(ns));
    finding.advice = "Set a group size; a device runs the items of a group in parallel.";
    finding.numbers = {{"time", "ns", static_cast<double>(ns)}};
    finding.evidence.kernels = {kernel};
    std::vector<std::uint32_t> its;
    for (const std::uint32_t i : single)
      if (c.work(i).kernel == kernel) its.push_back(i);
    finding.evidence.commands = some(std::move(its));
    findings.push_back(std::move(finding));
  }
}

void fusion_rule(const Case& c, Findings& findings) {
  const std::vector<TinyChain> chains = find_tiny_chains(c.trace, c.report);
  if (chains.empty()) return;
  const std::uint64_t runs = chains.size();
  std::uint64_t kernels = 0;
  for (const TinyChain& chain : chains) kernels += chain.size();
  const TinyChain& longest = *std::ranges::max_element(chains, {}, &TinyChain::size);
  const std::uint64_t cost = launch_cost_ns(c);
  const std::uint64_t saving = std::min((kernels - runs) * cost, most_lost_ns(c));
  if (!c.is_worth(saving)) return;
  Finding finding{.id = "fuse.tiny", .severity = Severity::info};
  finding.confidence = Confidence::possible;
  finding.title = fmt::format(
      "{} of tiny kernels ({} in all, each under {}), in which each passes its result only to the "
      "next; the longest has {}.",
      count_text(runs, "run"), count_text(kernels, "kernel"), time_text(tiny_kernel_ns),
      longest.size());
  finding.advice = "Fuse each run into one kernel: one launch, and results that stay in registers.";
  finding.numbers = {{"runs", "", static_cast<double>(runs)},
                     {"kernels", "", static_cast<double>(kernels)},
                     {"launch", "ns", static_cast<double>(cost)}};
  finding.saving_ns = saving;
  finding.formula =
      "(kernels - runs) x what a launch costs beside its kernel, at most the time the device "
      "waited for launches";
  finding.evidence.begin_ns = c.command(longest.front()).started_ns;
  finding.evidence.end_ns = c.command(longest.back()).ended_ns;
  finding.evidence.commands = some(longest);
  findings.push_back(std::move(finding));
}

}  // namespace reel::analysis
