// Memory that the host changes by itself while a command may still use it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "analysis/contents/contents_hash.hpp"
#include "analysis/findings/rules.hpp"
#include "document/trace/ranges.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

// Bytes that were other ones than at the last look, with no command between that writes them: the
// host has changed them through a pointer.
struct HostWrite {
  std::uint32_t command;  // that was about to use them
  std::uint32_t buffer;
  std::uint64_t begin, end;
};

struct Use {
  std::uint32_t command;
  std::uint64_t begin, end;
};

// When a call returned from which on the host may know that earlier commands are done. Whatever
// sounds like it counts: a false alarm is worse than a silence.
class Knowledge {
 public:
  explicit Knowledge(const Trace& trace) {
    constexpr std::array words{"finish", "wait",      "synchronize", "map",    "read", "event",
                               "fence",  "semaphore", "idle",        "status", "stop", "query"};
    std::map<std::uint32_t, bool> tells;  // by name
    for (const TraceCall& call : trace.calls()) {
      const auto [known, is_new] = tells.try_emplace(call.name, false);
      if (is_new) {
        std::string name = trace.text(call.name);
        std::ranges::transform(name, name.begin(),
                               [](unsigned char letter) { return std::tolower(letter); });
        known->second = std::ranges::any_of(
            words, [&](const char* word) { return name.find(word) != std::string::npos; });
      }
      if (known->second) returned_ns_.push_back(call.end_ns);
    }
    std::ranges::sort(returned_ns_);
  }
  bool came_between(std::uint64_t begin_ns, std::uint64_t end_ns) const {
    const auto found = std::ranges::lower_bound(returned_ns_, begin_ns);
    return found != returned_ns_.end() && *found <= end_ns;
  }

 private:
  std::vector<std::uint64_t> returned_ns_;
};

// Inputs of ranges that had an input before, with other bytes.
std::vector<HostWrite> find_host_writes(const Trace& trace) {
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, BlobId> last;
  std::vector<HostWrite> found;
  for (const TraceContents& row : trace.contents()) {
    if (row.role != ContentRole::input || row.command == no_index) continue;
    const BlobId hash = hash_of(trace, row);
    const auto [known, is_new] =
        last.try_emplace({row.buffer, row.offset_bytes, row.size_bytes}, hash);
    if (is_new || known->second == hash) continue;
    known->second = hash;
    found.push_back({row.command, row.buffer, row.offset_bytes, row.offset_bytes + row.size_bytes});
  }
  return found;
}

}  // namespace

void host_access_rule(const Case& c, Findings& findings) {
  const std::vector<HostWrite> host_writes = find_host_writes(c.trace);
  if (host_writes.empty()) return;
  std::set<std::uint32_t> buffers;
  for (const HostWrite& host : host_writes) buffers.insert(host.buffer);
  std::map<std::uint32_t, std::vector<Use>> uses;  // by buffer
  for (std::uint32_t i = 0; i < c.trace.commands().size(); ++i)
    for_each_range(c.trace, c.work(i), [&](const TraceArgument& range, Access) {
      if (buffers.contains(range.buffer))
        uses[range.buffer].push_back(
            {i, range.offset_bytes, range.offset_bytes + range.size_bytes});
    });
  const Knowledge knowledge(c.trace);
  struct Fault {
    std::uint32_t user, next;
    HostWrite host;
  };
  std::vector<Fault> faults;
  for (const HostWrite& host : host_writes) {
    const std::vector<Use>& list = uses[host.buffer];
    auto use = std::ranges::lower_bound(list, host.command, {}, &Use::command);
    while (use != list.begin()) {
      --use;
      if (use->end <= host.begin || host.end <= use->begin) continue;
      const TraceCommand user = c.command(use->command), next = c.command(host.command);
      // It ran within its call, or the host may have learned that it had ended.
      const bool is_over = user.has_run_times() && user.ended_ns <= user.call_end_ns;
      if (!is_over && user.call_end_ns && next.call_begin_ns &&
          !knowledge.came_between(user.call_end_ns, next.call_begin_ns))
        faults.push_back({use->command, host.command, host});
      break;
    }
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
