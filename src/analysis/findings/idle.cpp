// What bound the span, and why devices stood still.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/findings/rules.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

struct CauseText {
  IdleCause cause;
  const char *id, *because, *advice;
  const char* in_graph = nullptr;  // the advice where commands are nodes of a graph already
};
constexpr CauseText cause_texts[] = {
    {IdleCause::host, "idle.host", "the host had enqueued nothing",
     "Enqueue work earlier: prepare the next step while this one runs, or "
     "record the steps into a graph and launch that.",
     "Launch earlier: prepare the next launch while this one runs."},
    {IdleCause::sync, "idle.sync", "the host waited for it to finish before enqueueing more",
     "Wait later, or for an event instead of the whole stream, so that work is queued while the "
     "host looks at results."},
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
     "These commands are nodes of a graph already: fuse small kernels, or give each more work."},
};

// Which gaps there are: never "in 625 gaps" where one of them is most of it.
std::string gaps_text(const std::vector<const Gap*>& gaps, std::uint64_t sum) {
  const Gap& longest = *gaps[0];
  const std::string before = command_name(longest.after);
  if (gaps.size() == 1) return fmt::format("It is one gap, before {}.", before);
  if (longest.size_ns() * 2 >= sum)
    return fmt::format("One gap of {}, before {}, is {} of it; the other {} add up to {}.",
                       time_text(longest.size_ns()), before, share_text(longest.size_ns(), sum),
                       gaps.size() - 1, time_text(sum - longest.size_ns()));
  return fmt::format("The longest of {} is {}, before {}.", count_text(gaps.size(), "gap"),
                     time_text(longest.size_ns()), before);
}

std::string advice_for(const Case& c, const CauseText& text, const std::vector<const Gap*>& gaps,
                       std::uint64_t sum) {
  std::uint64_t in_graph = 0;
  for (const Gap* gap : gaps)
    if (c.command(gap->after).launch != no_index) in_graph += gap->size_ns();
  const char* general = text.in_graph && in_graph * 2 >= sum ? text.in_graph : text.advice;
  const std::uint64_t longest = gaps[0]->size_ns();
  if (longest * 2 < sum) return general;
  std::string advice = fmt::format("Look first at what happened before {}, which is a single case.",
                                   command_name(gaps[0]->after));
  // The others must be worth it for themselves.
  if (c.is_worth(sum - longest)) advice += fmt::format(" For the others: {}", general);
  return advice;
}

void add_idle(const Case& c, const CauseText& text, Findings& findings) {
  std::vector<const Gap*> gaps, in_calls;
  const std::uint64_t sum = c.report.activity.idle_ns[static_cast<std::size_t>(text.cause)];
  if (!c.is_worth(sum)) return;
  for (const Gap& gap : c.report.activity.gaps)
    if (gap.cause == text.cause) gaps.push_back(&gap);
  std::map<std::uint32_t, std::uint64_t> by_call;  // name, time
  for (const Gap* gap : gaps) {
    if (gap->call == no_index) continue;
    by_call[c.trace.calls()[gap->call].name] += gap->size_ns();
    in_calls.push_back(gap);
  }
  largest_first(gaps, [](const Gap& g) { return g.size_ns(); });
  largest_first(in_calls, [](const Gap& g) { return g.size_ns(); });

  Finding finding{.id = text.id};
  finding.severity = sum * 20 >= c.active_ns() ? Severity::warning : Severity::info;
  finding.confidence = text.cause == IdleCause::launch ? Confidence::likely : Confidence::certain;
  finding.title = fmt::format("The device was idle for {} ({} of its time): {}", time_text(sum),
                              share_text(sum, c.active_ns()), text.because);
  for (std::size_t i = 0; i < std::min(gaps.size(), most_evidence); ++i)
    finding.evidence.commands.push_back(gaps[i]->after);
  for (std::size_t i = 0; i < std::min(in_calls.size(), most_evidence); ++i)
    finding.evidence.calls.push_back(in_calls[i]->call);
  if (!by_call.empty()) {
    const auto most =
        std::ranges::max_element(by_call, {}, [](const auto& entry) { return entry.second; });
    if (most->second * 2 > sum) finding.title += fmt::format(", in {}", c.trace.text(most->first));
  }
  finding.title += ". " + gaps_text(gaps, sum);
  finding.advice = advice_for(c, text, gaps, sum);
  finding.evidence.begin_ns = gaps[0]->begin_ns;
  finding.evidence.end_ns = gaps[0]->end_ns;
  finding.numbers = {{"gaps", "", static_cast<double>(gaps.size())},
                     {"idle", "ns", static_cast<double>(sum)},
                     {"longest", "ns", static_cast<double>(gaps[0]->size_ns())}};
  finding.saving_ns = sum;
  finding.formula = "estimate: if these gaps were eliminated";
  findings.push_back(std::move(finding));
}

}  // namespace

void verdict_rule(const Case& c, Findings& findings) {
  const Activity& activity = c.report.activity;
  const std::uint64_t active = activity.active_ns, busy = activity.busy_ns;
  Finding finding{.id = "verdict"};
  if (active == 0) {
    finding.title = c.trace.commands().empty()
                        ? "No command ran during the capture."
                        : "No timestamps were recorded, so nothing can be said about speed.";
    findings.push_back(std::move(finding));
    return;
  }
  const std::string share = share_text(busy, active);
  switch (c.report.verdict) {
    case Bottleneck::device:
      finding.title =
          fmt::format("Device-bound: the device was busy {} of its time, with kernels.", share);
      finding.advice = "Make the kernels with the largest share faster.";
      break;
    case Bottleneck::copies:
      finding.title =
          fmt::format("Copy-bound: the device was busy {} of its time, and copies took {} of that.",
                      share, share_text(activity.copy_ns, activity.sum_ns));
      finding.advice = "Move less data: keep it on the device, and copy only what changed.";
      break;
    case Bottleneck::host:
      finding.title = fmt::format(
          "Host-bound: the device was busy only {} of its time; it waited for the host.", share);
      finding.advice = "Faster kernels won't help much; enqueue work earlier and in larger pieces.";
      break;
    case Bottleneck::waits:
      finding.title = fmt::format(
          "Wait-bound: the device was busy only {} of its time; the rest was spent in waits.",
          share);
      finding.advice = "Wait less often, or for less.";
      break;
    case Bottleneck::unknown:
      finding.title = fmt::format(
          "The device was busy {} of its time; the document doesn't show why it was idle.", share);
      break;
  }
  finding.numbers = {{"busy", "%", 100.0 * static_cast<double>(busy) / static_cast<double>(active)},
                     {"active", "ns", static_cast<double>(active)}};
  for (std::size_t cause = 0; cause < idle_causes; ++cause)
    if (activity.idle_ns[cause])
      finding.numbers.push_back({fmt::format("idle.{}", to_string(static_cast<IdleCause>(cause))),
                                 "ns", static_cast<double>(activity.idle_ns[cause])});
  findings.push_back(std::move(finding));
}

void idle_rule(const Case& c, Findings& findings) {
  for (const CauseText& text : cause_texts) add_idle(c, text, findings);
}

}  // namespace reel::analysis
