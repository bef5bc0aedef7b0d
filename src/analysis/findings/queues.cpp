// Queues that order nothing by themselves: barriers that are missing, too weak, or too wide.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/rules.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

// How a barrier names what this command does with memory.
std::string access_words(const Case& c, std::uint32_t command, bool reading, bool writing,
                         ArgumentKind beside) {
  if (beside == ArgumentKind::indirect) return "DRAW_INDIRECT, INDIRECT_COMMAND_READ";
  if (is_predicate(beside)) return "CONDITIONAL_RENDERING, CONDITIONAL_RENDERING_READ";
  const auto of = [&](const char* stage, const char* access) {
    return fmt::format("{}, {}{}{}", stage, reading ? fmt::format("{}_READ", access) : "",
                       reading && writing ? " | " : "",
                       writing ? fmt::format("{}_WRITE", access) : "");
  };
  switch (c.work(command).kind) {
    case WorkKind::dispatch:
      return of("COMPUTE_SHADER", "SHADER");
    case WorkKind::copy:
    case WorkKind::fill:
    case WorkKind::write:
    case WorkKind::read:
      return of("TRANSFER", "TRANSFER");
    default:
      return of("ALL_COMMANDS", "MEMORY");
  }
}

// It takes the bytes as the numbers of an indirect dispatch, or as its predicate, and in no other
// way; else `buffer`.
ArgumentKind taken_beside(const Case& c, const SyncFault& fault) {
  ArgumentKind only = ArgumentKind::buffer;
  for (const TraceArgument& argument : c.trace.arguments(c.work(fault.to))) {
    if (argument.buffer != fault.buffer) continue;
    if (!is_read_beside(argument.kind) || only != ArgumentKind::buffer) return ArgumentKind::buffer;
    only = argument.kind;
  }
  return only;
}

std::string bytes_text(const Case& c, const SyncFault& fault) {
  return fmt::format("{} (from byte {} on, {})", describe_buffer(c.trace, fault.buffer),
                     fault.offset_bytes, size_text(fault.bytes));
}

// "c4 (mul) writes, and c7 (add) reads, b3 'x' (…)".
std::string pair_text(const Case& c, const SyncFault& fault) {
  // A shader may leave alone what is bound to it.
  const char* may = fault.is_exact ? "" : "may ";
  const auto verb = [&](bool reading, bool writing) {
    if (reading && writing) return fault.is_exact ? "reads and writes" : "read and write";
    return fault.is_exact ? (writing ? "writes" : "reads") : (writing ? "write" : "read");
  };
  return fmt::format("{} {}{}, and {} {}{}, {}", describe_command(c.trace, fault.from), may,
                     verb(!fault.from_writes, fault.from_writes),
                     describe_command(c.trace, fault.to), may,
                     verb(fault.to_reads, fault.to_writes), bytes_text(c, fault));
}

// Where the range of a command's argument that has the fault's bytes begins and ends.
std::pair<std::uint64_t, std::uint64_t> bound_range(const Case& c, std::uint32_t command,
                                                    const SyncFault& fault) {
  for (const TraceArgument& argument : c.trace.arguments(c.work(command))) {
    const std::uint64_t end = argument.offset_bytes + argument.size_bytes;
    if (argument.buffer == fault.buffer && argument.offset_bytes <= fault.offset_bytes &&
        end >= fault.offset_bytes + fault.bytes)
      return {argument.offset_bytes, end};
  }
  return {0, 0};
}

// Both were given all that follows in the buffer, from two places on: so do programs that cut their
// own pieces out of a large buffer and name where each begins. Each is likely to end where the
// next one begins.
bool is_of_rests(const Case& c, const SyncFault& fault) {
  if (fault.is_exact) return false;
  const auto [first_begin, first_end] = bound_range(c, fault.from, fault);
  const auto [second_begin, second_end] = bound_range(c, fault.to, fault);
  return first_end == second_end && first_begin != second_begin;
}

// By an address, which tells where it begins and not how far a kernel goes: the range is all that
// it might touch. Such ranges stand behind the arguments that the kernel declares.
bool is_reached(const Case& c, std::uint32_t command, const SyncFault& fault) {
  const TraceWork& work = c.work(command);
  if (work.kind != WorkKind::dispatch || work.kernel == no_index) return false;
  const auto arguments = c.trace.arguments(work);
  const std::size_t declared = c.trace.kernels()[work.kernel].parameters.size();
  for (std::size_t i = declared; i < arguments.size(); ++i)
    if (arguments[i].kind == ArgumentKind::buffer && arguments[i].buffer == fault.buffer)
      return true;
  return false;
}

// Why the two may well use different bytes of what they were given; null: nothing says so.
const char* why_unlikely(const Case& c, const SyncFault& fault) {
  if (is_of_rests(c, fault))
    return "Both were bound to the rest of the buffer, from two offsets on";
  if (c.work(fault.from).kind == WorkKind::opaque || c.work(fault.to).kind == WorkKind::opaque)
    return "Of one of them it isn't known which bytes it uses";
  if (is_reached(c, fault.from, fault) || is_reached(c, fault.to, fault))
    return "It is reached by an address, which doesn't tell how far";
  return nullptr;
}

std::string where_text(const Case& c, const SyncFault& fault) {
  if (c.command(fault.from).stream != c.command(fault.to).stream)
    return "They are on two queues: a semaphore is needed.";
  const auto first = c.trace.submission_of(fault.from), second = c.trace.submission_of(fault.to);
  return first && second && *first != *second
             ? "They are in two submissions, whose order alone orders nothing."
             : "";
}

Finding finding_of(const Case& c, const char* id, const std::vector<const SyncFault*>& faults,
                   const std::string& reason) {
  const SyncFault& first = *faults[0];
  Finding finding{.id = id};
  finding.severity = first.is_exact ? Severity::error : Severity::warning;
  finding.confidence = first.is_exact ? Confidence::certain : Confidence::likely;
  finding.title = fmt::format("{}: {}.", pair_text(c, first), reason);
  if (const char* why = why_unlikely(c, first)) {
    finding.severity = Severity::info;
    finding.confidence = Confidence::possible;
    finding.title += fmt::format(
        " {}, so they may well use different parts of it; --prove tries the other order.", why);
  }
  if (const std::string where = where_text(c, first); !where.empty()) finding.title += ' ' + where;
  if (faults.size() > 1)
    finding.title += fmt::format(" {} such pairs in all{}.", faults.size(),
                                 c.queues.fault_count > c.queues.faults.size() ? ", at least" : "");
  if (c.command(first.from).stream == c.command(first.to).stream)
    finding.advice = fmt::format(
        "Put a barrier between them, from {} to {}.",
        access_words(c, first.from, !first.from_writes, first.from_writes, ArgumentKind::buffer),
        access_words(c, first.to, first.to_reads, first.to_writes,
                     first.to_writes ? ArgumentKind::buffer : taken_beside(c, first)));
  else
    finding.advice = "Let the second submission wait for a semaphore that the first one signals.";
  finding.numbers = {{"pairs", "", static_cast<double>(faults.size())},
                     {"bytes", "bytes", static_cast<double>(first.bytes)}};
  std::vector<std::uint32_t> commands, buffers;
  const auto add_once = [](std::vector<std::uint32_t>& list, std::uint32_t number) {
    if (std::ranges::find(list, number) == list.end()) list.push_back(number);
  };
  for (const SyncFault* fault : faults) {
    if (commands.size() + 2 > most_evidence) break;
    add_once(commands, fault->from);  // one command may be of several pairs
    add_once(commands, fault->to);
    add_once(buffers, fault->buffer);
  }
  finding.evidence.commands = std::move(commands);
  finding.evidence.buffers = some(std::move(buffers));
  return finding;
}

// All stages and all memory, where one range of one buffer is all that needs it.
void wide_barriers(const Case& c, Findings& findings) {
  std::vector<const BarrierUse*> wide;
  for (const BarrierUse& barrier : c.queues.barriers)
    if (barrier.is_wide && barrier.pairs > 0 && barrier.buffer != no_index &&
        !barrier.has_other_reason)
      wide.push_back(&barrier);
  if (wide.empty()) return;
  const BarrierUse& first = *wide[0];
  Finding finding{.id = "barrier.wide", .severity = Severity::info};
  finding.confidence = Confidence::likely;
  finding.title = fmt::format(
      "{} for all stages and all memory, and one buffer alone needs {}; the first, {}, keeps {} "
      "bytes {} to {} in order, from {} to {}.",
      wide.size() == 1 ? "1 barrier is" : count_text(wide.size(), "barrier") + " are",
      wide.size() == 1 ? "it" : "each", command_name(first.command),
      describe_buffer(c.trace, first.buffer), first.begin_bytes, first.end_bytes,
      command_name(first.from), command_name(first.to));
  finding.advice =
      "Name the stages and the buffer: then other work may go on, and fewer caches are flushed.";
  finding.numbers = {{"barriers", "", static_cast<double>(wide.size())}};
  for (const BarrierUse* barrier : wide) {
    if (finding.evidence.commands.size() == most_evidence) break;
    finding.evidence.commands.push_back(barrier->command);
  }
  finding.evidence.buffers = {first.buffer};
  findings.push_back(std::move(finding));
}

}  // namespace

void queues_rule(const Case& c, Findings& findings) {
  std::vector<const SyncFault*> missing, hidden;
  for (const SyncFault& fault : c.queues.faults)
    (fault.kind == SyncFault::Kind::missing ? missing : hidden).push_back(&fault);
  // What is known for certain comes first, what is least likely last.
  const auto rank = [&](const SyncFault* fault) {
    return fault->is_exact ? 0 : why_unlikely(c, *fault) ? 2 : 1;
  };
  for (auto* list : {&missing, &hidden}) std::ranges::stable_sort(*list, {}, rank);
  if (!missing.empty())
    findings.push_back(finding_of(c, "sync.missing", missing,
                                  "no barrier, semaphore or wait of the host orders the two"));
  if (!hidden.empty())
    findings.push_back(finding_of(
        c, "sync.visibility", hidden,
        "they run in order, but no barrier between them names both accesses, so the second may see "
        "old bytes"));
  wide_barriers(c, findings);
}

}  // namespace reel::analysis
