// What bound the span, and why devices stood still.
#include "analysis/time/idle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/findings/rules.hpp"
#include "analysis/time/first_launches.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

struct CauseText {
  IdleCause cause;
  const char *id, *because, *advice;
  const char* in_graph = nullptr;   // the advice where commands are nodes of a graph already
  const char* submitted = nullptr;  // … of programs that submit command buffers
};
constexpr CauseText cause_texts[] = {
    {IdleCause::host, "idle.host", "the host had enqueued nothing",
     "Enqueue work earlier: prepare the next step while this one runs, or "
     "record the steps into a graph and launch that.",
     "Launch earlier: prepare the next launch while this one runs.",
     "Submit work earlier: prepare the next submission while this one runs."},
    {IdleCause::sync, "idle.sync", "the host was in a wait, and not for this device",
     "Enqueue what this device can do already before waiting, or wait for the one event that is "
     "needed instead of for everything."},
    {IdleCause::wakeup, "idle.wakeup", "the device was done, and the host's wait returned late",
     "Enqueue more work before waiting, so that the device goes on while the host wakes up."},
    {IdleCause::dependency, "idle.dep", "the next command waited for other work",
     "Check whether it needs those results; if it does, start that work earlier."},
    {IdleCause::build, "idle.build", "the host was building a kernel or a graph",
     "Build kernels before the part whose speed matters, and keep them."},
    {IdleCause::allocation, "idle.alloc", "the host was allocating memory",
     "Allocate once and reuse buffers."},
    {IdleCause::transfer, "idle.transfer", "the host was copying bytes to or from the device",
     "Copy less, copy while other work runs, or use memory that both see."},
    {IdleCause::launch, "idle.launch", "launch latency",
     "Launch less often: record the commands into a graph, or fuse small kernels.",
     "These commands are nodes of a graph already: fuse small kernels, or give each more work.",
     "Submit less often: put more commands into one submission, or fuse small kernels."},
};

// What one idle period has of a cause.
struct Share {
  std::uint64_t ns = 0;
  const Gap* longest = nullptr;  // the part to look at
};

// The first of the longest parts is told.
void join(Share& share, const Share& later) {
  share.ns += later.ns;
  if (later.longest->size_ns() > share.longest->size_ns()) share.longest = later.longest;
}

std::vector<Share> shares_of(const Activity& activity, IdleCause cause) {
  std::vector<Share> shares;
  // Parts of a period follow each other, but for those of several devices at the same time.
  for (const Gap& gap : activity.gaps) {
    if (gap.cause != cause) continue;
    Share* const before = shares.empty() ? nullptr : &shares.back();
    if (before && before->longest->period == gap.period)
      join(*before, {gap.size_ns(), &gap});
    else
      shares.push_back({gap.size_ns(), &gap});
  }
  const auto period = [](const Share& share) { return share.longest->period; };
  if (!std::ranges::is_sorted(shares, std::ranges::less{}, period)) {
    std::ranges::stable_sort(shares, {}, period);
    std::size_t kept = 0;
    for (std::size_t i = 1; i < shares.size(); ++i)
      if (period(shares[i]) == period(shares[kept]))
        join(shares[kept], shares[i]);
      else
        shares[++kept] = shares[i];
    shares.resize(kept + 1);
  }
  std::erase_if(shares, [](const Share& share) { return share.ns == 0; });
  // Only the longest are looked at one by one.
  const auto middle =
      shares.begin() + static_cast<std::ptrdiff_t>(std::min(shares.size(), most_evidence));
  std::ranges::partial_sort(shares, middle, [](const Share& a, const Share& b) {
    return a.ns != b.ns ? a.ns > b.ns : a.longest < b.longest;
  });
  return shares;
}

// Which gaps there are: never "in 625 gaps" where one of them is most of it.
std::string gaps_text(const std::vector<Share>& gaps, std::uint64_t sum) {
  const std::uint64_t longest = gaps[0].ns;
  const std::string before = command_name(gaps[0].longest->after);
  if (gaps.size() == 1) return fmt::format("It is one gap, before {}.", before);
  if (longest * 2 >= sum)
    return fmt::format("One gap of {}, before {}, is {} of it; the other {} {}.",
                       time_text(longest), before, share_text(longest, sum),
                       gaps.size() == 2 ? "is" : fmt::format("{} add up to", gaps.size() - 1),
                       time_text(sum - longest));
  return fmt::format("The longest of {} is {}, before {}.", count_text(gaps.size(), "gap"),
                     time_text(longest), before);
}

// Of the gaps, what is before a command for which this holds.
template <class Is>
std::uint64_t part_of(const std::vector<Share>& gaps, Is&& is) {
  std::uint64_t sum = 0;
  for (const Share& gap : gaps)
    if (is(gap.longest->after)) sum += gap.ns;
  return sum;
}

std::string advice_for(const Case& c, const CauseText& text, const std::vector<Share>& gaps,
                       std::uint64_t sum) {
  const std::uint64_t in_graph =
      part_of(gaps, [&](std::uint32_t i) { return c.command(i).launch != no_index; });
  const char* general = text.advice;
  if (text.submitted && !c.trace.submissions().empty()) general = text.submitted;
  if (text.in_graph && in_graph * 2 >= sum) general = text.in_graph;
  const std::uint64_t longest = gaps[0].ns;
  if (longest * 2 < sum) return general;
  std::string advice = fmt::format("Look first at what happened before {}, which is a single case.",
                                   command_name(gaps[0].longest->after));
  // The others must be worth it for themselves.
  if (c.is_worth(sum - longest)) advice += fmt::format(" For the others: {}", general);
  return advice;
}

// Drivers finish building a kernel when it is first launched.
void add_first_runs(const Case& c, const std::vector<Share>& gaps, std::uint64_t sum,
                    Finding& finding) {
  const auto built = first_build_ns(c.trace);
  std::vector<bool> is_first(c.commands.size());
  for (const KernelUsage& kernel : c.report.kernels)
    if (built && kernel.first != no_index && c.command(kernel.first).started_ns >= *built)
      is_first[kernel.first] = true;
  const std::uint64_t first_runs = part_of(gaps, [&](std::uint32_t i) { return is_first[i]; });
  finding.numbers.push_back({"before_first_runs", "ns", static_cast<double>(first_runs)});
  if (first_runs * 2 < sum) return;
  finding.title +=
      fmt::format(" {} of it is before the first run of a kernel.", share_text(first_runs, sum));
  finding.advice =
      "Run each kernel once before the part whose speed matters: drivers finish building it at its "
      "first launch.";
}

// Building that no call tells of is a conclusion, and says so.
void add_inferred_builds(const Case& c, std::uint64_t sum, Finding& finding) {
  std::uint64_t inferred = 0;
  std::uint32_t kernel = no_index;
  for (const Gap& gap : c.report.activity.gaps) {
    if (!is_inferred_build(gap)) continue;
    inferred += gap.size_ns();
    if (kernel == no_index) kernel = c.work(gap.after).kernel;
  }
  finding.numbers.push_back({"at_first_launches", "ns", static_cast<double>(inferred)});
  if (inferred == 0) return;
  if (inferred * 2 >= sum) finding.confidence = Confidence::likely;
  finding.title += fmt::format(
      " {} of it is inferred: it is before the first run of a kernel in its group size (first {}), "
      "at least ten times as long as before later runs, and drivers compile then.",
      share_text(inferred, sum), kernel_text(c.trace, kernel));
  if (inferred * 2 >= sum)
    finding.advice =
        "Run each kernel once, in each group size, before the part whose speed matters.";
}

// The host had waited for the device, was released, and only then prepared what comes next.
void add_after_waits(const Case& c, std::uint64_t sum, std::uint32_t longest_after,
                     Finding& finding) {
  std::uint64_t after_waits = 0;
  std::map<std::uint32_t, std::uint64_t> by_name;  // of the wait
  for (const Gap& gap : c.report.activity.gaps) {
    if (gap.cause != IdleCause::host || gap.after_wait == no_index) continue;
    after_waits += gap.size_ns();
    by_name[c.trace.calls()[gap.after_wait].name] += gap.size_ns();
  }
  finding.numbers.push_back({"after_waits", "ns", static_cast<double>(after_waits)});
  if (after_waits * 2 < sum) return;
  const auto most =
      std::ranges::max_element(by_name, {}, [](const auto& entry) { return entry.second; });
  finding.title += fmt::format(" {} of it is the host's own time after it came back from {}.",
                               share_text(after_waits, sum), call_text(c.trace, most->first));
  const std::string general =
      "Enqueue the next commands before waiting for the ones before, so that the device has work "
      "while the host does its own.";
  finding.advice =
      longest_after == no_index
          ? general
          : fmt::format("Look first at what the host did before {}, which is a single case. {}",
                        command_name(longest_after), general);
}

// How long a gap is, the device's clock tells; what the host did meanwhile, only both clocks.
void add_clock_error(const Case& c, IdleCause cause, const std::vector<Share>& gaps,
                     Finding& finding) {
  const std::uint32_t device = gaps[0].longest->device;
  if (cause == IdleCause::dependency || device >= c.trace.devices().size()) return;
  const std::uint64_t error = c.trace.devices()[device].clock_error_ns.value_or(0);
  if (error <= gaps[0].ns) return;
  finding.title += fmt::format(
      " Why can't be told for certain: the device's clock is brought to the host's within ±{}, "
      "which is more than {}.",
      time_text(error), gaps.size() == 1 ? "this gap" : "the longest of these gaps");
  finding.confidence = Confidence::possible;
}

void add_idle(const Case& c, const CauseText& text, Findings& findings) {
  const std::uint64_t sum = c.report.activity.idle_ns[static_cast<std::size_t>(text.cause)];
  if (!c.is_worth(sum)) return;
  const std::vector<Share> gaps = shares_of(c.report.activity, text.cause);
  std::map<std::uint32_t, std::uint64_t> by_call;  // name, time
  for (const Gap& gap : c.report.activity.gaps)
    if (gap.cause == text.cause && gap.call != no_index)
      by_call[c.trace.calls()[gap.call].name] += gap.size_ns();

  Finding finding{.id = text.id};
  finding.severity = sum * 20 >= c.active_ns() ? Severity::warning : Severity::info;
  finding.confidence = text.cause == IdleCause::launch ? Confidence::likely : Confidence::certain;
  finding.title = fmt::format("The device was idle for {} ({} of its time): {}", time_text(sum),
                              share_text(sum, c.active_ns()), text.because);
  if (!by_call.empty()) {
    const auto most =
        std::ranges::max_element(by_call, {}, [](const auto& entry) { return entry.second; });
    if (most->second * 2 > sum)
      finding.title += fmt::format(", in {}", call_text(c.trace, most->first));
  }
  finding.title += ". " + gaps_text(gaps, sum);
  add_clock_error(c, text.cause, gaps, finding);
  finding.advice = advice_for(c, text, gaps, sum);
  for (const Share& gap : gaps) {
    if (finding.evidence.commands.size() == most_evidence) break;
    finding.evidence.commands.push_back(gap.longest->after);
    if (gap.longest->call != no_index) finding.evidence.calls.push_back(gap.longest->call);
  }
  finding.evidence.begin_ns = gaps[0].longest->begin_ns;
  finding.evidence.end_ns = gaps[0].longest->end_ns;
  finding.numbers = {{"gaps", "", static_cast<double>(gaps.size())},
                     {"idle", "ns", static_cast<double>(sum)},
                     {"longest", "ns", static_cast<double>(gaps[0].ns)}};
  if (text.cause == IdleCause::build) add_inferred_builds(c, sum, finding);
  if (text.cause == IdleCause::launch) {
    const auto is_node = [&](std::uint32_t i) { return c.command(i).launch != no_index; };
    finding.numbers.push_back({"before_nodes", "ns", static_cast<double>(part_of(gaps, is_node))});
    add_first_runs(c, gaps, sum, finding);
    if (const DevicePeaks* peaks = c.peaks_of(gaps[0].longest->device)) {
      finding.title += fmt::format(" `reel bench` measured {} for a launch on this device on {}.",
                                   time_text(static_cast<std::uint64_t>(peaks->launch_ns + 0.5)),
                                   peaks->measured);
      finding.numbers.push_back({"launch_measured", "ns", peaks->launch_ns});
    }
  }
  if (text.cause == IdleCause::host)
    add_after_waits(c, sum, gaps[0].ns * 2 >= sum ? gaps[0].longest->after : no_index, finding);
  finding.saving_ns = sum;
  finding.formula = "estimate: if these gaps were eliminated";
  findings.push_back(std::move(finding));
}

// What passed before the first start and after the last end on any device, without what recording
// took of it: the verdict is not about this.
struct Outside {
  TimeSpan before, after;
  std::uint64_t before_ns = 0, after_ns = 0;
  std::uint64_t sum_ns() const { return before_ns + after_ns; }
};

Outside outside_of(const Case& c) {
  const Activity& activity = c.report.activity;
  const TimeSpan active = activity.active_span();
  const Intervals recording = recording_times(c.trace);
  const auto without_recording = [&](const TimeSpan& span) {
    if (span.end_ns <= span.begin_ns) return std::uint64_t{0};
    return span.end_ns - span.begin_ns - recording.covered(span.begin_ns, span.end_ns);
  };
  Outside outside{{activity.begin_ns, active.begin_ns}, {active.end_ns, activity.end_ns}};
  outside.before_ns = without_recording(outside.before);
  outside.after_ns = without_recording(outside.after);
  return outside;
}

// Where devices had work for less than half of what was recorded, whoever looks at the whole must
// know what the other half was.
void add_outside(const Case& c, Finding& finding) {
  const Outside outside = outside_of(c);
  const Activity& activity = c.report.activity;
  const std::uint64_t inside = outside.after.begin_ns - outside.before.end_ns;
  finding.numbers.push_back({"before_first", "ns", static_cast<double>(outside.before_ns)});
  finding.numbers.push_back({"after_last", "ns", static_cast<double>(outside.after_ns)});
  if (outside.sum_ns() <= inside) return;
  // The whole, which is what times of commands and calls show, and recording's part of it.
  const auto part = [&](std::uint64_t ns, const TimeSpan& span, const char* when) {
    const std::uint64_t whole = span.end_ns - span.begin_ns;
    const std::string during = during_text(c.trace, span.begin_ns, span.end_ns);
    const std::string recording =
        ns < whole ? fmt::format(" ({} of it recording)", time_text(whole - ns)) : "";
    return fmt::format("{} passed {}{}{}{}", time_text(whole), when,
                       during.empty() ? "" : ", mostly", during, recording);
  };
  std::string parts;
  if (outside.before_ns * 10 >= outside.sum_ns())
    parts = part(outside.before_ns, outside.before, "before its first command started");
  if (outside.after_ns * 10 >= outside.sum_ns())
    parts += (parts.empty() ? "" : ", and ") +
             part(outside.after_ns, outside.after, "after its last command ended");
  finding.title += fmt::format(
      " All this is about the time from the first start to the last end, {} of the {} that were "
      "recorded: {}.",
      time_text(inside), time_text(activity.span_ns()), parts);
  const std::string then = finding.advice.empty() ? "" : " Then: " + finding.advice;
  finding.advice =
      "Look first at what the host does before the first command and after the last." + then;
}

// "2.0 ms launch, 1.0 ms host": what an idle period is made of, recording left out.
std::string parts_text(const Activity& activity, std::uint32_t period) {
  std::array<std::uint64_t, idle_causes> by_cause{};
  for (const Gap& gap : activity.gaps)
    if (gap.period == period && gap.cause != IdleCause::capture)
      by_cause[static_cast<std::size_t>(gap.cause)] += gap.size_ns();
  std::vector<std::size_t> causes;
  for (std::size_t cause = 0; cause < idle_causes; ++cause)
    if (by_cause[cause]) causes.push_back(cause);
  std::ranges::stable_sort(causes, std::ranges::greater{},
                           [&](std::size_t cause) { return by_cause[cause]; });
  std::string text;
  for (const std::size_t cause : causes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", time_text(by_cause[cause]),
                        to_string(static_cast<IdleCause>(cause)));
  return causes.size() == 1 ? to_string(static_cast<IdleCause>(causes[0])) : text;
}

// A verdict from one gap is a verdict on that gap. Findings are of one cause each, so it says how
// much of the gap has which.
std::string single_gap_text(const Case& c) {
  const Activity& activity = c.report.activity;
  std::vector<std::uint64_t> by_period(activity.idle_periods);
  std::uint64_t idle = 0;
  std::uint32_t after = no_index, period = 0;
  std::uint64_t longest = 0;
  for (const Gap& gap : activity.gaps) {
    if (gap.cause == IdleCause::capture) continue;
    idle += gap.size_ns();
    if (std::uint64_t& ns = by_period[gap.period]; (ns += gap.size_ns()) > longest) {
      longest = ns;
      after = gap.after;
      period = gap.period;
    }
  }
  if (by_period.size() < 2 || longest * 2 < idle || !c.is_worth(longest)) return {};
  return fmt::format(
      " One gap of {} ({}), before {}, is {} of its idle time{}.", time_text(longest),
      parts_text(activity, period), command_name(after), share_text(longest, idle),
      activity.idle_ns[static_cast<std::size_t>(IdleCause::capture)] ? " without recording" : "");
}

// Idle time that only the capture makes is no fault of the program.
std::string recording_text(const Case& c) {
  const Activity& activity = c.report.activity;
  const std::uint64_t capture = activity.idle_ns[static_cast<std::size_t>(IdleCause::capture)];
  if (!c.is_worth(capture)) return {};
  const std::uint64_t nodes = idle_between_nodes_ns(c);
  return fmt::format(
      " Recording made it idle for another {}{}, which is not the program's and has no part in "
      "this "
      "verdict.",
      share_text(capture, activity.active_ns),
      nodes * 2 >= capture ? " (it gives graphs in pieces, to time nodes and to tell decisions)"
                           : "");
}

// What is busy with warming up is no kernel's speed, and nothing shows what the rest would be like
// without it but the rest itself.
void add_cold_runs(const Case& c, Finding& finding) {
  const Activity& activity = c.report.activity;
  std::uint64_t cold = 0, longest_ns = 0;  // own time: commands that overlap count once
  std::uint32_t longest = no_index;
  for (std::uint32_t i = 0; c.cold.total_ns() && i < c.trace.commands().size(); ++i) {
    if (!c.cold.contains(i)) continue;
    cold += c.report.own_ns[i];
    if (c.report.own_ns[i] <= longest_ns) continue;
    longest_ns = c.report.own_ns[i];
    longest = i;
  }
  finding.numbers.push_back({"first_runs", "ns", static_cast<double>(cold)});
  if (cold * 10 < activity.active_ns || longest == no_index) return;
  finding.title += fmt::format(
      " First runs of kernels that took far longer than later ones like them are {} of its busy "
      "time, above all {}; without them it was busy {} of the rest.",
      share_text(cold, activity.busy_ns), describe_command(c.trace, longest),
      share_text(activity.busy_ns - std::min(cold, activity.busy_ns),
                 activity.active_ns - std::min(cold, activity.active_ns)));
  if (cold * 2 < activity.busy_ns || c.report.verdict != Bottleneck::device) return;
  finding.advice =
      "Most of its busy time is warming up: first use of memory, empty caches, or code compiled at "
      "the first launch. Capture later passes before you judge the kernels, and run each kernel "
      "once "
      "before the part whose speed matters.";
}

}  // namespace

// Of most of the time that devices were busy with kernels.
static bool has_kernel_times(const Case& c) {
  std::uint64_t single = 0, together = 0;
  for (const TraceCommand& command : c.commands)
    if (command.has_run_times()) single += command.run_ns();
  for (const TraceInterval& interval : c.trace.intervals()) together += interval.size_ns();
  return single >= together;
}

void verdict_rule(const Case& c, Findings& findings) {
  const Activity& activity = c.report.activity;
  const std::uint64_t active = activity.active_ns, busy = activity.busy_ns;
  Finding finding{.id = "verdict"};
  if (active == 0) {
    const bool has_commands = !c.commands.empty();
    if (was_cut(c.trace))
      finding.title = fmt::format(
          "No {} can be read, so nothing can be said about speed: the document is incomplete.",
          has_commands ? "timestamps" : "command");
    else
      finding.title = has_commands
                          ? "No timestamps were recorded, so nothing can be said about speed."
                          : "No command ran during the capture.";
    findings.push_back(std::move(finding));
    return;
  }
  if (activity.is_partly_timed()) {
    finding.title = fmt::format(
        "How busy the device was can't be told: {} of {} {} no timestamps. The others took {}.",
        activity.untimed, count_text(activity.timed + activity.untimed, "command"),
        activity.untimed == 1 ? "has" : "have", time_text(busy));
    findings.push_back(std::move(finding));
    return;
  }
  const std::string share = share_text(busy, active);
  const auto idle = [&](IdleCause cause) {
    return activity.idle_ns[static_cast<std::size_t>(cause)];
  };
  switch (c.report.verdict) {
    case Bottleneck::device:
      finding.title =
          fmt::format("Device-bound: the device was busy {} of its time, with kernels.", share);
      finding.advice =
          has_kernel_times(c)
              ? "Make the kernels with the largest share faster."
              : "Which kernel takes how much isn't known: no barrier keeps them apart, "
                "so they were timed together. 'reel capture --stamps dispatches' "
                "times each.";
      break;
    case Bottleneck::copies:
      finding.title =
          fmt::format("Copy-bound: the device was busy {} of its time, and copies took {} of that.",
                      share, share_text(activity.copy_ns, activity.sum_ns));
      finding.advice = "Move less data: keep it on the device, and copy only what changed.";
      break;
    case Bottleneck::host:
      finding.title = fmt::format(
          "Host-bound: the device was busy only {} of its time; it waited for {}.", share,
          idle(IdleCause::launch) * 2 > active - busy - idle(IdleCause::capture)
              ? "commands to be launched"
              : "the host");
      finding.advice = "Faster kernels won't help much; enqueue work earlier and in larger pieces.";
      if (idle(IdleCause::build) * 2 > active - busy - idle(IdleCause::capture)) {
        finding.title = fmt::format(
            "Host-bound: the device was busy only {} of its time; it waited for kernels to be "
            "built.",
            share);
        finding.advice =
            "Build kernels, and run each of them once, before the part whose speed matters.";
      }
      break;
    case Bottleneck::waits:
      finding.title = fmt::format(
          "Wait-bound: the device was busy only {} of its time, and idle for {} because of waits.",
          share,
          share_text(idle(IdleCause::sync) + idle(IdleCause::wakeup) + idle(IdleCause::dependency),
                     active));
      finding.advice = "Wait less often, or for less.";
      break;
    case Bottleneck::unknown:
      finding.title = fmt::format(
          "The device was busy {} of its time; the document doesn't show why it was idle.", share);
      break;
  }
  finding.title += recording_text(c);
  finding.title += single_gap_text(c);
  finding.numbers = {{"busy", "%", 100.0 * static_cast<double>(busy) / static_cast<double>(active)},
                     {"active", "ns", static_cast<double>(active)}};
  for (std::size_t cause = 0; cause < idle_causes; ++cause)
    if (activity.idle_ns[cause])
      finding.numbers.push_back({fmt::format("idle.{}", to_string(static_cast<IdleCause>(cause))),
                                 "ns", static_cast<double>(activity.idle_ns[cause])});
  add_cold_runs(c, finding);
  add_outside(c, finding);
  findings.push_back(std::move(finding));
}

void idle_rule(const Case& c, Findings& findings) {
  for (const CauseText& text : cause_texts) add_idle(c, text, findings);
}

}  // namespace reel::analysis
