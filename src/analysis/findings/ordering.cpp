// Waits for nothing, waits that are missing, and independent work in one line.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/rules.hpp"
#include "document/trace/one_by_one.hpp"
#include "reel/dependency_sets.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

// The first command of a stream that a dependency is of.
class FirstOfStream {
 public:
  explicit FirstOfStream(const Case& c) : case_(c), sets_(c.sets) {
    of_set_.reserve(sets_.size());
    for (std::uint32_t set = 0; set < sets_.size(); ++set) {
      First first = first_of(sets_.members(set)[0]);
      for (const SetMember& member : sets_.members(set)) {
        const First other = first_of(member);
        first = {first.stream == other.stream ? first.stream : no_index,
                 std::min(first.command, other.command)};
      }
      of_set_.push_back(first);
    }
  }

  std::uint32_t operator()(const Dependency& d, std::uint32_t stream) const {
    if (d.set == no_index || of_set_[d.set].stream != no_index) {
      const First first = d.set == no_index ? of_command(d.from) : of_set_[d.set];
      return first.stream == stream ? first.command : no_index;
    }
    for (const std::uint32_t i : sets_.commands_of(d))
      if (case_.command(i).stream == stream) return i;
    return no_index;
  }

 private:
  struct First {
    std::uint32_t stream, command;  // no stream: of several
  };
  First of_command(std::uint32_t i) const { return {case_.command(i).stream, i}; }
  First first_of(const SetMember& member) const {
    return member.inner == no_index ? of_command(member.command) : of_set_[member.inner];
  }

  const Case& case_;
  const DependencySets& sets_;
  std::vector<First> of_set_;
};

// A barrier that no dependency of its stream crosses keeps nothing apart.
void add_uncrossed_barriers(const Case& c, std::vector<std::uint32_t>& commands) {
  if (!c.has_work_of({WorkKind::barrier})) return;
  std::vector<std::uint32_t> place(c.commands.size());  // in its stream
  std::vector<std::vector<std::uint32_t>> barriers(c.trace.streams().size());
  std::vector<std::uint32_t> length(c.trace.streams().size());
  for (std::uint32_t i = 0; i < place.size(); ++i) {
    const std::uint32_t stream = c.command(i).stream;
    place[i] = length[stream]++;
    if (c.work(i).kind == WorkKind::barrier) barriers[stream].push_back(i);
  }
  std::vector<std::vector<std::int32_t>> crossings(c.trace.streams().size());
  for (std::size_t s = 0; s < crossings.size(); ++s)
    if (!barriers[s].empty()) crossings[s].resize(length[s] + 1);
  const FirstOfStream first_of(c);
  for (const Dependency& d : c.report.dependencies) {
    const std::uint32_t stream = c.command(d.to).stream;
    if (d.buffer == no_index || crossings[stream].empty()) continue;
    const std::uint32_t from = first_of(d, stream);
    if (from == no_index) continue;
    ++crossings[stream][place[from]];
    --crossings[stream][place[d.to]];
  }
  for (std::size_t s = 0; s < crossings.size(); ++s) {
    std::int64_t open = 0;
    std::uint32_t at = 0;
    for (const std::uint32_t barrier : barriers[s]) {
      for (; at <= place[barrier]; ++at) open += crossings[s][at];
      if (open == 0 && c.trace.streams()[s].is_ordered) commands.push_back(barrier);
    }
  }
}

}  // namespace

void barrier_rule(const Case& c, Findings& findings) {
  std::vector<std::uint32_t> commands;
  // Semaphores of queues order more than bytes that are known: layouts of images, what is
  // presented.
  const auto is_of_queues = [&](const Dependency& d) {
    return !c.trace.streams()[c.command(d.from).stream].is_ordered ||
           !c.trace.streams()[c.command(d.to).stream].is_ordered;
  };
  for (const Dependency& d : c.report.dependencies)
    if (d.kind == DependencyKind::redundant && !is_of_queues(d)) commands.push_back(d.to);
  const std::size_t waits = commands.size();

  add_uncrossed_barriers(c, commands);
  // Of queues that order nothing themselves: a barrier by which no two commands are in order, with
  // commands on both sides.
  for (const BarrierUse& barrier : c.queues.barriers)
    if (barrier.pairs == 0 && barrier.is_between_uses && !barrier.has_other_reason &&
        c.queues.incomplete_from == no_index)
      commands.push_back(barrier.command);
  if (commands.empty()) return;
  const bool is_of_queue = !c.trace.streams()[c.command(commands.back()).stream].is_ordered;
  const char* why = is_of_queue ? "the other barriers put everything in order without"
                                : "no later command touches what came before";
  std::vector<bool> is_one(c.commands.size());
  for (const std::uint32_t i : commands) is_one[i] = true;
  std::uint64_t saving = 0;
  for (const Gap& gap : c.report.activity.gaps)
    if (gap.cause == IdleCause::dependency && is_one[gap.after]) saving += gap.size_ns();
  Finding finding{.id = "barrier.redundant", .severity = Severity::info};
  finding.confidence = Confidence::likely;
  const std::size_t fences = commands.size() - waits;
  if (commands.size() == 1)
    finding.title =
        fmt::format("{} {} has no effect: {}{}.", waits ? "The wait before" : "The barrier",
                    describe_command(c.trace, commands[0]), why, is_of_queue ? " it" : "");
  else
    finding.title = fmt::format(
        "{}{}{} have no effect: {} them.", waits ? count_text(waits, "wait") : "",
        waits && fences ? " and " : "", fences ? count_text(fences, "barrier") : "", why);
  finding.advice = "Remove them; work on both sides could then overlap.";
  finding.numbers = {{"waits", "", static_cast<double>(waits)},
                     {"barriers", "", static_cast<double>(fences)}};
  finding.evidence.commands = some(std::move(commands));
  if (saving) {
    finding.saving_ns = saving;
    finding.formula = "idle time in front of them";
  }
  findings.push_back(std::move(finding));
}

void unfollowed_rule(const Case& c, Findings& findings) {
  if (c.queues.incomplete_from != no_index) {
    Finding finding{.id = "order.unfollowed", .severity = Severity::warning};
    finding.title = fmt::format(
        "Missing barriers from {} on can't be told: its commands name too many ranges to follow "
        "them all.",
        describe_command(c.trace, c.queues.incomplete_from));
    finding.advice = "Capture fewer commands (--first, --commands) to search them.";
    finding.evidence.commands = {c.queues.incomplete_from};
    findings.push_back(std::move(finding));
  }
  if (c.report.order_unfollowed_from == no_index) return;
  Finding finding{.id = "order.unfollowed", .severity = Severity::warning};
  finding.title = fmt::format(
      "Races from {} on can't be told: too many streams wait for each other to follow them all.",
      describe_command(c.trace, c.report.order_unfollowed_from));
  finding.advice = "Capture fewer commands (--first, --commands) to search them for races.";
  finding.evidence.commands = {c.report.order_unfollowed_from};
  findings.push_back(std::move(finding));
}

void race_rule(const Case& c, Findings& findings) {
  std::vector<const Dependency*> races;
  // Of queues that order nothing themselves, sync.missing tells more.
  const auto is_of_queues = [&](const Dependency& d) {
    return !c.trace.streams()[c.command(d.from).stream].is_ordered ||
           !c.trace.streams()[c.command(d.to).stream].is_ordered;
  };
  for (const Dependency& d : c.report.dependencies)
    if (d.kind == DependencyKind::missing && !is_of_queues(d)) races.push_back(&d);
  if (races.empty()) return;
  const Dependency& first = *races[0];
  constexpr std::size_t most_pairs = 1'000'000;  // a set of thousands may race with thousands
  std::size_t pairs = 0;
  c.sets.for_each_pair(c.report.dependencies, DependencyKind::missing,
                       [&](std::uint32_t, std::uint32_t) { return ++pairs < most_pairs; });
  Finding finding{.id = "race", .severity = Severity::error};
  finding.confidence = Confidence::likely;
  finding.title = fmt::format(
      "{} and {} touch the same bytes of {}, at least one writes, and nothing orders them.",
      describe_command(c.trace, first.from), describe_command(c.trace, first.to),
      describe_buffer(c.trace, first.buffer));
  if (pairs > 1)
    finding.title +=
        fmt::format(" {}{} such pairs in all.", pairs == most_pairs ? "At least " : "", pairs);
  finding.advice = fmt::format(
      "Let the second wait for an event recorded after the first. reel replay {} --order relaxed "
      "shows whether results change.",
      c.trace.path());
  finding.numbers = {{"pairs", "", static_cast<double>(pairs)},
                     {"bytes", "bytes", static_cast<double>(first.bytes)}};
  std::vector<std::uint32_t> commands, buffers;
  for (const Dependency* race : races) {
    if (commands.size() >= most_evidence) break;
    commands.push_back(race->from);
    commands.push_back(race->to);
    if (std::ranges::find(buffers, race->buffer) == buffers.end()) buffers.push_back(race->buffer);
  }
  finding.evidence.commands = some(std::move(commands));
  finding.evidence.buffers = some(std::move(buffers));
  findings.push_back(std::move(finding));
}

// Commands on one stream that nothing but the stream keeps in line.
void overlap_rule(const Case& c, Findings& findings) {
  if (c.report.verdict != Bottleneck::device) return;
  std::vector<std::uint32_t> streams;
  for (std::uint32_t s = 0; s < c.report.activity.streams.size(); ++s)
    if (c.report.activity.streams[s].timed) streams.push_back(s);
  if (streams.size() != 1 || c.report.activity.streams[streams[0]].timed < 8) return;
  const std::size_t count = c.commands.size();
  const DependencySets& sets = c.sets;
  auto done = sets.values<std::uint64_t>(count, 0);
  std::size_t next = 0;
  std::uint32_t next_set = 0;
  std::uint64_t longest = 0, sum = 0, in_graphs = 0, one_by_one = 0;
  const std::set<std::uint32_t> taken_apart = graphs_given_one_by_one(c.trace);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (const std::uint32_t launch = c.command(i).launch; launch != no_index) {
      in_graphs += c.report.own_ns[i];
      if (taken_apart.contains(c.work(launch).graph)) one_by_one += c.report.own_ns[i];
    }
    std::uint64_t start = 0;
    for (; next < c.report.dependencies.size() && c.report.dependencies[next].to == i; ++next) {
      const Dependency& d = c.report.dependencies[next];
      if (d.set != no_index)
        next_set = sets.gather(done, next_set, d.set, [](std::uint64_t& set, std::uint64_t member) {
          set = std::max(set, member);
        });
      if (d.kind != DependencyKind::redundant) start = std::max(start, done.of(d));
    }
    done.of_command[i] = start + c.report.own_ns[i];
    longest = std::max(longest, done.of_command[i]);
    sum += c.report.own_ns[i];
  }
  // Half as much again, or it is not worth a second stream.
  if (longest == 0 || sum * 2 < longest * 3 || !c.is_worth(sum - longest)) return;
  // That nodes ran one after the other is recording's doing, where it gives them so.
  if (one_by_one * 2 >= sum) return;
  Finding finding{.id = "overlap.lost", .severity = Severity::info};
  finding.confidence = Confidence::possible;
  finding.title =
      fmt::format("Commands ran one after the other for {}; their dependencies would allow {}.",
                  time_text(sum), time_text(longest));
  finding.advice =
      in_graphs * 2 >= sum
          ? "They are nodes of a graph already, and the device ran them one after the other: give "
            "each kernel more work, or launch parts of the graph on several streams."
          : "Enqueue independent commands on several streams, or record them into a graph, which "
            "finds them; it helps where one kernel does not fill the device.";
  finding.numbers = {{"in_graphs", "ns", static_cast<double>(in_graphs)},
                     {"one_after_the_other", "ns", static_cast<double>(sum)},
                     {"longest_chain", "ns", static_cast<double>(longest)}};
  finding.evidence.streams = streams;
  finding.saving_ns = sum - longest;
  finding.formula = "all run times - the longest chain of dependent ones; at most";
  findings.push_back(std::move(finding));
}

}  // namespace reel::analysis
