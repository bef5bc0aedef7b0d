// Memory that the host changes by itself while a command may still use it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/contents/host_writes.hpp"
#include "analysis/findings/rules.hpp"
#include "analysis/sync/host_knowledge.hpp"
#include "analysis/sync/queue_clocks.hpp"
#include "document/trace/ranges.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

struct Use {
  std::uint32_t command;
  std::uint64_t begin, end;
  bool writes;
};

}  // namespace

void host_access_rule(const Case& c, Findings& findings) {
  const bool has_queues = has_unordered_queues(c.trace);
  // Whoever asks a fence whether it is over makes no call that documents have.
  if (has_queues && orders_kept(c.trace) != OrdersKept::all) return;
  const std::vector<HostWrite> host_writes = find_host_writes(c.trace);
  if (host_writes.empty()) return;
  std::set<std::uint32_t> buffers;
  for (const HostWrite& host : host_writes) buffers.insert(host.buffer);
  std::map<std::uint32_t, std::vector<Use>> uses;  // by buffer
  for (std::uint32_t i = 0; i < c.trace.commands().size(); ++i)
    for_each_range(c.trace, c.work(i), [&](const TraceArgument& range, Access access) {
      if (buffers.contains(range.buffer))
        uses[range.buffer].push_back(
            {i, range.offset_bytes, range.offset_bytes + range.size_bytes, writes(access)});
    });
  const HostKnowledge knowledge(c.trace), events(c.trace, HostKnowledge::By::events);
  // A document without any such call doesn't tell how its program waits.
  if (!has_queues && !knowledge.has_any()) return;
  QueueClocks clocks(c.trace);
  for (std::uint32_t i = 0; has_queues && i < c.trace.commands().size() && !clocks.is_too_much();
       ++i)
    clocks.next(i, c.command(i).stream);
  if (clocks.is_too_much()) return;
  // When the host gave `next`, it may have known that `user` had ended. Some devices run a command
  // within its call, and then the host knows; of a queue of Vulkan that was luck.
  const auto may_be_over = [&](std::uint32_t user_index, std::uint32_t next_index) {
    const TraceCommand user = c.command(user_index), next = c.command(next_index);
    if (!user.call_end_ns || !next.call_begin_ns) return true;
    if (c.trace.streams()[user.stream].is_ordered)
      return (user.has_run_times() && user.ended_ns <= user.call_end_ns) ||
             knowledge.came_between(user, next);
    return clocks.host_saw(user_index, next_index) || events.came_between(user, next);
  };
  struct Fault {
    std::uint32_t user, next;
    HostWrite host;
  };
  std::vector<Fault> faults;
  for (const HostWrite& host : host_writes) {
    const std::vector<Use>& list = uses[host.buffer];
    const Use* running = nullptr;  // the first that may have been
    bool is_written = false;       // by a command: then nobody knows whose bytes these are
    for (auto use = std::ranges::lower_bound(list, host.before, {}, &Use::command);
         use != list.end() && use->command < host.command; ++use) {
      if (use->end <= host.begin || host.end <= use->begin) continue;
      const bool has_all = use->begin <= host.begin && host.end <= use->end;
      if (!running && (host.is_exact || has_all) && !may_be_over(use->command, host.command))
        running = &*use;
      is_written |= use->writes;
    }
    if (running && !is_written) faults.push_back({running->command, host.command, host});
  }
  if (faults.empty()) return;
  const Fault& first = faults[0];
  Finding finding{.id = has_queues ? "sync.host" : "race.host", .severity = Severity::warning};
  finding.confidence = Confidence::possible;
  finding.title = fmt::format(
      "The host changed {} of {} before it enqueued {}, and {}, which uses them, may still have "
      "been "
      "running: no call in between shows that the host had waited for it.",
      size_text(first.host.end - first.host.begin), describe_buffer(c.trace, first.host.buffer),
      command_name(first.next), describe_command(c.trace, first.user));
  if (faults.size() > 1) finding.title += fmt::format(" {} such cases in all.", faults.size());
  finding.advice =
      "Wait for the command before writing into its memory, or use another buffer for the next "
      "one.";
  finding.numbers = {{"cases", "", static_cast<double>(faults.size())}};
  std::vector<std::uint32_t> commands;
  for (const Fault& fault : faults) {
    commands.push_back(fault.user);
    commands.push_back(fault.next);
  }
  finding.evidence.commands = some(std::move(commands));
  finding.evidence.buffers = {first.host.buffer};
  findings.push_back(std::move(finding));
}

}  // namespace reel::analysis
