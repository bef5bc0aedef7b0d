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
};
constexpr CauseText cause_texts[] = {
    {IdleCause::host, "idle.host", "the host had enqueued nothing",
     "Enqueue work earlier: prepare the next step while this one runs, or "
     "record the steps into a graph and launch that."},
    {IdleCause::sync, "idle.sync", "the host waited for it to finish before enqueueing more",
     "Wait later, or for an event instead of the whole stream, so that work is queued while the "
     "host looks at results."},
    {IdleCause::dependency, "idle.dep", "the next command waited for other work",
     "Check whether it needs those results; if it does, start that work earlier."},
    {IdleCause::build, "idle.build", "the host was building a kernel",
     "Build kernels before the part whose speed matters, and keep them."},
    {IdleCause::allocation, "idle.alloc", "the host was allocating memory",
     "Allocate once and reuse buffers."},
    {IdleCause::launch, "idle.launch", "launch latency",
     "Launch less often: record the commands into a graph, or fuse small kernels."},
};

void add_idle(const Case& c, const CauseText& text, Findings& findings) {
  std::vector<const Gap*> gaps, in_calls;
  std::uint64_t sum = 0;
  for (const Gap& gap : c.report.activity.gaps) {
    if (gap.cause != text.cause) continue;
    gaps.push_back(&gap);
    sum += gap.size_ns();
  }
  if (!c.is_worth(sum)) return;
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
  finding.title =
      fmt::format("The device was idle for {} ({} of its time) in {}: {}", time_text(sum),
                  share_text(sum, c.active_ns()), count_text(gaps.size(), "gap"), text.because);
  for (std::size_t i = 0; i < std::min(gaps.size(), most_evidence); ++i)
    finding.evidence.commands.push_back(gaps[i]->after);
  for (std::size_t i = 0; i < std::min(in_calls.size(), most_evidence); ++i)
    finding.evidence.calls.push_back(in_calls[i]->call);
  if (!by_call.empty()) {
    const auto most =
        std::ranges::max_element(by_call, {}, [](const auto& entry) { return entry.second; });
    if (most->second * 2 > sum) finding.title += fmt::format(", in {}", c.trace.text(most->first));
  }
  finding.title += '.';
  finding.advice = text.advice;
  finding.evidence.begin_ns = gaps[0]->begin_ns;
  finding.evidence.end_ns = gaps[0]->end_ns;
  finding.numbers = {{"gaps", "", static_cast<double>(gaps.size())},
                     {"idle", "ns", static_cast<double>(sum)},
                     {"longest", "ns", static_cast<double>(gaps[0]->size_ns())}};
  finding.saving_ns = sum;
  finding.formula = "all of these gaps closed";
  findings.push_back(std::move(finding));
}

}  // namespace

void verdict_rule(const Case& c, Findings& findings) {
  const Activity& activity = c.report.activity;
  const std::uint64_t active = c.active_ns();
  std::uint64_t busy = 0;
  for (const Lane& lane : activity.devices) busy += lane.busy_ns;
  Finding finding{.id = "verdict"};
  if (active == 0) {
    finding.title = c.trace.commands().empty()
                        ? "No command ran during the capture."
                        : "No command has timestamps, so nothing is known about speed.";
    findings.push_back(std::move(finding));
    return;
  }
  const std::string share = share_text(busy, active);
  switch (c.report.verdict) {
    case Bottleneck::device:
      finding.title = fmt::format("Device-bound: it was busy {} of its time, with kernels.", share);
      finding.advice = "Make the kernels with the largest share faster.";
      break;
    case Bottleneck::copies:
      finding.title =
          fmt::format("Copy-bound: it was busy {} of its time, and copies took {} of that.", share,
                      share_text(activity.copy_ns, activity.sum_ns));
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
