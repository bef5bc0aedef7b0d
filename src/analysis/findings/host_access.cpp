// Memory that the host changes by itself while a command may still use it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/contents/contents_hash.hpp"
#include "analysis/findings/rules.hpp"
#include "analysis/sync/host_knowledge.hpp"
#include "document/trace/ranges.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

// Bytes that were other ones than at the last look, with no command between that writes them: the
// host has changed them through a pointer.
struct HostWrite {
  std::uint32_t before;   // the command at the last look
  std::uint32_t command;  // that was about to use them
  std::uint32_t buffer;
  std::uint64_t begin, end;
};

struct Use {
  std::uint32_t command;
  std::uint64_t begin, end;
  bool writes;
};

// Inputs of ranges that had an input before, with other bytes.
std::vector<HostWrite> find_host_writes(const Trace& trace) {
  struct Look {
    std::uint32_t command;
    BlobId hash;
  };
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, Look> last;
  std::vector<HostWrite> found;
  for (const TraceContents& row : trace.contents()) {
    if (row.role != ContentRole::input || row.command == no_index) continue;
    const Look now{row.command, hash_of(trace, row)};
    const auto [known, is_new] =
        last.try_emplace({row.buffer, row.offset_bytes, row.size_bytes}, now);
    if (is_new) continue;
    if (known->second.hash != now.hash)
      found.push_back({known->second.command, row.command, row.buffer, row.offset_bytes,
                       row.offset_bytes + row.size_bytes});
    known->second = now;
  }
  return found;
}

}  // namespace

void host_access_rule(const Case& c, Findings& findings) {
  // Whoever asks a fence whether it is over makes no call that documents have.
  if (has_unordered_queues(c.trace) && !keeps_all_orders(c.trace)) return;
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
  const HostKnowledge knowledge(c.trace);
  // A document without any such call doesn't tell how its program waits.
  if (!knowledge.has_any()) return;
  struct Fault {
    std::uint32_t user, next;
    HostWrite host;
  };
  std::vector<Fault> faults;
  for (const HostWrite& host : host_writes) {
    const std::vector<Use>& list = uses[host.buffer];
    const Use* last = nullptr;
    bool is_written = false;  // by a command: then nobody knows whose bytes these are
    for (auto use = std::ranges::lower_bound(list, host.before, {}, &Use::command);
         use != list.end() && use->command < host.command; ++use) {
      if (use->end <= host.begin || host.end <= use->begin) continue;
      last = &*use;
      is_written |= use->writes;
    }
    if (!last || is_written) continue;
    const TraceCommand user = c.command(last->command), next = c.command(host.command);
    // It ran within its call, or the host may have learned that it had ended.
    const bool is_over = user.has_run_times() && user.ended_ns <= user.call_end_ns;
    if (!is_over && user.call_end_ns && next.call_begin_ns && !knowledge.came_between(user, next))
      faults.push_back({last->command, host.command, host});
  }
  if (faults.empty()) return;
  const Fault& first = faults[0];
  Finding finding{.id = has_unordered_queues(c.trace) ? "sync.host" : "race.host",
                  .severity = Severity::warning};
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
