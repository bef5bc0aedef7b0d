// Memory that the host changes by itself while a command may still use it.
#include <fmt/format.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
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

struct Fault {
  std::uint32_t user;  // that uses the bytes
  std::uint32_t next;  // that was enqueued when they were seen to be others; none: `user` was seen
                       // to have ended then
  std::uint32_t buffer;
  std::uint64_t begin, end;
};

// What the recorder saw of it: "c3 to c9: the host changed bytes 0 to 4096 of b2 before …".
std::vector<Fault> changes_seen(const Case& c) {
  constexpr std::size_t most = 1000;  // each is looked for among its commands
  std::vector<Fault> all;
  std::size_t looked_for = 0;
  for (const TraceNote& note : c.trace.notes()) {
    std::uint32_t first = 0, last = 0, id = 0;
    Fault seen{no_index, no_index, no_index, 0, 0};
    if (note.kind != "host_changed" ||
        std::sscanf(note.text.c_str(),
                    "c%" SCNu32 " to c%" SCNu32 ": the host changed bytes %" SCNu64 " to %" SCNu64
                    " of b%" SCNu32,
                    &first, &last, &seen.begin, &seen.end, &id) != 5 ||
        last >= c.commands.size() || ++looked_for > most)
      continue;
    const auto& buffers = c.trace.buffers();
    const auto buffer = std::ranges::find(buffers, BufferId{id}, &TraceBuffer::id);
    if (buffer == buffers.end()) continue;
    seen.buffer = static_cast<std::uint32_t>(buffer - buffers.begin());
    for (std::uint32_t i = first; i <= last && seen.user == no_index; ++i)
      for_each_range(c.trace, c.work(i), [&](const TraceArgument& range, Access access) {
        if (range.buffer == seen.buffer && reads(access) && range.offset_bytes < seen.end &&
            seen.begin < range.offset_bytes + range.size_bytes)
          seen.user = i;
      });
    if (seen.user != no_index) all.push_back(seen);
  }
  return all;
}

// What two looks at memory tell, each before a command.
std::vector<Fault> changes_between_looks(const Case& c, bool has_queues) {
  std::vector<Fault> faults;
  const std::vector<HostWrite> host_writes = find_host_writes(c.trace);
  if (host_writes.empty()) return faults;
  std::set<std::uint32_t> buffers;
  for (const HostWrite& host : host_writes) buffers.insert(host.buffer);
  std::map<std::uint32_t, std::vector<Use>> uses;  // by buffer
  for (std::uint32_t i = 0; i < c.commands.size(); ++i)
    for_each_range(c.trace, c.work(i), [&](const TraceArgument& range, Access access) {
      if (buffers.contains(range.buffer))
        uses[range.buffer].push_back(
            {i, range.offset_bytes, range.offset_bytes + range.size_bytes, writes(access)});
    });
  const HostKnowledge knowledge(c.trace), events(c.trace, HostKnowledge::By::events);
  // A document without any such call doesn't tell how its program waits.
  if (!has_queues && !knowledge.has_any()) return faults;
  QueueClocks clocks(c.trace);
  for (std::uint32_t i = 0; has_queues && i < c.commands.size() && !clocks.is_too_much(); ++i)
    clocks.next(i, c.command(i).stream);
  if (clocks.is_too_much()) return faults;
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
    if (running && !is_written)
      faults.push_back({running->command, host.command, host.buffer, host.begin, host.end});
  }
  return faults;
}

std::string title_of(const Trace& trace, const Fault& fault) {
  const std::string what =
      fmt::format("The host changed {} of {}", size_text(fault.end - fault.begin),
                  describe_buffer(trace, fault.buffer));
  if (fault.next == no_index)
    return fmt::format("{} before it had waited for {}, which uses them.", what,
                       describe_command(trace, fault.user));
  return fmt::format(
      "{} before it enqueued {}, and {}, which uses them, may still have been running: no call in "
      "between shows that the host had waited for it.",
      what, command_name(fault.next), describe_command(trace, fault.user));
}

}  // namespace

void host_access_rule(const Case& c, Findings& findings) {
  const bool has_queues = has_unordered_queues(c.trace);
  // Whoever asks a fence whether it is over makes no call that documents have.
  if (has_queues && orders_kept(c.trace) != OrdersKept::all) return;
  std::vector<Fault> faults = changes_between_looks(c, has_queues);
  std::ranges::move(changes_seen(c), std::back_inserter(faults));
  if (faults.empty()) return;
  const Fault& first = faults[0];
  Finding finding{.id = has_queues ? "sync.host" : "race.host", .severity = Severity::warning};
  finding.confidence = Confidence::possible;
  finding.title = title_of(c.trace, first);
  if (faults.size() > 1) finding.title += fmt::format(" {} such cases in all.", faults.size());
  finding.advice =
      "Wait for the command before writing into its memory, or use another buffer for the next "
      "one.";
  finding.numbers = {{"cases", "", static_cast<double>(faults.size())}};
  std::vector<std::uint32_t> commands;
  for (const Fault& fault : faults) {
    commands.push_back(fault.user);
    if (fault.next != no_index) commands.push_back(fault.next);
  }
  finding.evidence.commands = some(std::move(commands));
  finding.evidence.buffers = {first.buffer};
  findings.push_back(std::move(finding));
}

}  // namespace reel::analysis
