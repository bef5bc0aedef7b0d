#include "analysis/time/host_calls.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace reel::analysis {

namespace {

CallKind kind_of_name(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto has = [&](const auto& words) {
    return std::ranges::any_of(
        words, [&](const char* word) { return name.find(word) != std::string::npos; });
  };
  // A stream that waits for another, and lists of events to wait for, don't hold up the host.
  constexpr std::array enqueues{"enqueue", "stream::wait()"};
  constexpr std::array waits{"synchronize", "finish", "wait"};
  constexpr std::array builds{"kernel()",      "program()",   "build",        "compile",
                              "linkprogram",   "instantiate", "createkernel", "createprogram",
                              "createcompute", "createshader"};
  constexpr std::array allocations{"buffer()", "alloc", "createbuffer", "createimage",
                                   "createpipe"};
  constexpr std::array transfers{"::write()",  "::read()", "::upload",
                                 "::download", "map",      "memcpy"};
  if (has(enqueues)) return CallKind::other;
  if (has(waits)) return CallKind::wait;
  if (has(builds)) return CallKind::build;
  if (has(allocations)) return CallKind::allocate;
  if (has(transfers)) return CallKind::transfer;
  return CallKind::other;
}

// A call that gave a command and came back only when it was done.
bool is_blocking(const Trace& trace, const TraceCall& call) {
  if (call.command == no_index) return false;
  const TraceCommand& command = trace.commands()[call.command];
  return trace.work_of(command).kind == WorkKind::read && command.ended_ns != 0 &&
         command.ended_ns <= call.end_ns;
}

// Calls that submit and came back only when the device was done with something: drivers let a host
// wait there that is too far ahead. By their first command.
std::vector<std::uint32_t> blocking_submits(const Trace& trace) {
  constexpr std::uint64_t least_ns = 1'000'000;  // what a call takes that waits for nobody
  std::vector<std::uint64_t> ends_ns;            // of commands; only where they are needed
  std::vector<std::uint32_t> blocking;
  for (const TraceSubmission& submission : trace.submissions()) {
    if (submission.first >= trace.commands().size()) continue;
    const TraceCommand& first = trace.commands()[submission.first];
    if (first.call_end_ns < first.call_begin_ns + least_ns) continue;
    if (ends_ns.empty()) {
      for (const TraceCommand& command : trace.commands())
        if (command.has_run_times()) ends_ns.push_back(command.ended_ns);
      for (const TraceInterval& interval : trace.intervals()) ends_ns.push_back(interval.end_ns);
      std::ranges::sort(ends_ns);
    }
    const auto after = std::ranges::upper_bound(ends_ns, first.call_end_ns);
    if (after == ends_ns.begin()) continue;
    const std::uint64_t late_ns = (first.call_end_ns - first.call_begin_ns) / 10;
    if (*std::prev(after) + late_ns >= first.call_end_ns) blocking.push_back(submission.first);
  }
  return blocking;  // rises, as submissions do
}

}  // namespace

bool HostCalls::is_blocked(const TraceCall& call) const {
  return is_blocking(trace_, call) || std::ranges::binary_search(blocking_, call.command);
}

HostCalls::HostCalls(const Trace& trace) : trace_(trace), blocking_(blocking_submits(trace)) {
  const auto& calls = trace.calls();
  // Without a read in the document no call that gives a command comes back late.
  const bool has_reads = std::ranges::any_of(
      trace.works(), [](const TraceWork& work) { return work.kind == WorkKind::read; });
  // Most calls only give a command; a map of a million of those would help nobody.
  const bool may_block = has_reads || !blocking_.empty();
  const auto next = [&](std::size_t i) { return may_block ? i : calls.next_other(i); };
  std::vector<bool> is_known;  // of names
  for (std::size_t at = next(0); at < calls.size(); at = next(at + 1)) {
    const auto i = static_cast<std::uint32_t>(at);
    const TraceCall call = calls[i];
    if (call.command != no_index && !is_blocked(call)) continue;
    if (call.name >= kind_of_text_.size()) {
      kind_of_text_.resize(call.name + 1, CallKind::other);
      is_known.resize(call.name + 1);
    }
    if (call.command == no_index && !is_known[call.name]) {
      kind_of_text_[call.name] = kind_of_name(trace.text(call.name));
      is_known[call.name] = true;
    }
    Thread& thread = threads_[call.thread];
    thread.latest_end.push_back(
        thread.calls.empty() ? call.end_ns : std::max(thread.latest_end.back(), call.end_ns));
    thread.calls.push_back(i);
    if (kind_of(call) == CallKind::wait) thread.waits.push_back(i);
  }
  for (auto& [id, thread] : threads_)
    std::ranges::stable_sort(thread.waits, {}, [&](std::uint32_t i) { return calls[i].end_ns; });
}

CallKind HostCalls::kind_of(const TraceCall& call) const {
  if (call.command == no_index) return kind_of_text_[call.name];
  return is_blocked(call) ? CallKind::wait : CallKind::other;
}

const HostCalls::Thread* HostCalls::find(std::uint32_t thread) const {
  const auto found = threads_.find(thread);
  return found == threads_.end() ? nullptr : &found->second;
}

const std::vector<std::uint32_t>& HostCalls::waits(std::uint32_t thread) const {
  static const std::vector<std::uint32_t> none;
  const Thread* found = find(thread);
  return found ? found->waits : none;
}

std::optional<std::uint32_t> HostCalls::wait_at(std::uint32_t thread, std::uint64_t time_ns,
                                                std::uint64_t error_ns) const {
  const auto& list = waits(thread);
  const auto end_of = [&](std::uint32_t i) { return trace_.calls()[i].end_ns + error_ns; };
  const auto found = std::ranges::lower_bound(list, time_ns, {}, end_of);
  if (found == list.end() || trace_.calls()[*found].begin_ns > time_ns) return std::nullopt;
  return *found;
}

std::optional<std::uint32_t> HostCalls::wait_before(std::uint32_t thread,
                                                    std::uint64_t time_ns) const {
  const auto& list = waits(thread);
  const auto end_of = [&](std::uint32_t i) { return trace_.calls()[i].end_ns; };
  const auto after = std::ranges::upper_bound(list, time_ns, {}, end_of);
  if (after == list.begin()) return std::nullopt;
  return *std::prev(after);
}

std::optional<std::uint64_t> HostCalls::first_build_ns() const {
  std::optional<std::uint64_t> first;
  for (const auto& [id, thread] : threads_)
    for (const std::uint32_t i : thread.calls)
      if (const TraceCall call = trace_.calls()[i];
          kind_of(call) == CallKind::build && (!first || call.end_ns < *first))
        first = call.end_ns;
  return first;
}

}  // namespace reel::analysis
