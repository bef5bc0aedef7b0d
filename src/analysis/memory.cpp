// How much memory was allocated when, and which buffers were of use.
#include <algorithm>

#include "document/trace/ranges.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

namespace {

std::uint64_t start_of(const TraceCommand& command) {
  return command.started_ns ? command.started_ns : command.call_begin_ns;
}
std::uint64_t end_of(const TraceCommand& command) {
  return std::max(command.ended_ns, command.call_end_ns);
}

void add_use(BufferUse& use, std::uint32_t command, Access access) {
  const bool again = use.last == command;  // given twice to one command
  if (use.first == no_index) use.first = command;
  use.last = command;
  if (reads(access)) {
    if (use.first_read == no_index) use.first_read = command;
    if (!again || use.last_read != command) ++use.reads;
    use.last_read = command;
  }
  if (writes(access) && !again) ++use.writes;
}

void find_uses(const Trace& trace, std::vector<BufferUse>& buffers, std::vector<bool>& is_view) {
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    for_each_range(trace, trace.work_of(trace.commands()[c]),
                   [&](const TraceArgument& range, Access access) {
                     add_use(buffers[range.buffer], c, access);
                     if (range.view == no_index) return;
                     add_use(buffers[range.view], c, access);
                     is_view[range.view] = true;
                   });
  }
}

}  // namespace

Memory find_memory(const Trace& trace, const Activity& activity) {
  Memory memory;
  memory.buffers.resize(trace.buffers().size());
  std::vector<bool> is_view(trace.buffers().size());  // an image that shows another's bytes
  find_uses(trace, memory.buffers, is_view);

  struct Event {
    std::uint64_t time_ns;
    bool is_free;
    std::uint64_t bytes;
  };
  std::vector<Event> events;
  for (std::size_t b = 0; b < memory.buffers.size(); ++b) {
    const TraceBuffer& buffer = trace.buffers()[b];
    BufferUse& use = memory.buffers[b];
    use.outlives = !buffer.freed_ns;
    use.alive_from_ns = std::max(buffer.allocated_ns.value_or(0), activity.begin_ns);
    use.alive_to_ns =
        std::max(use.alive_from_ns, std::min(buffer.freed_ns.value_or(activity.end_ns),
                                             std::max(activity.end_ns, use.alive_from_ns)));
    if (is_view[b]) continue;
    events.push_back({use.alive_from_ns, false, buffer.size_bytes});
    if (buffer.freed_ns) events.push_back({use.alive_to_ns, true, buffer.size_bytes});
  }
  // What is freed and allocated in the same moment was not alive at once.
  std::ranges::stable_sort(
      events, {}, [](const Event& event) { return std::pair(event.time_ns, !event.is_free); });
  std::uint64_t bytes = 0;
  memory.curve.push_back({activity.begin_ns, 0});
  for (const Event& event : events) {
    bytes = event.is_free ? bytes - std::min(bytes, event.bytes) : bytes + event.bytes;
    if (memory.curve.back().time_ns == event.time_ns)
      memory.curve.back().bytes = bytes;
    else
      memory.curve.push_back({event.time_ns, bytes});
  }
  for (std::size_t i = 0; i < memory.curve.size(); ++i) {
    if (memory.curve[i].bytes <= memory.peak_bytes) continue;
    memory.peak_bytes = memory.curve[i].bytes;
    memory.peak_ns = memory.curve[i].time_ns;
    memory.peak_end_ns =
        i + 1 < memory.curve.size() ? memory.curve[i + 1].time_ns : activity.end_ns;
  }
  for (std::size_t b = 0; b < memory.buffers.size(); ++b) {
    BufferUse& use = memory.buffers[b];
    use.at_peak =
        use.alive_from_ns <= memory.peak_ns && (use.outlives || memory.peak_ns < use.alive_to_ns);
    if (!use.at_peak) continue;
    // A saved graph has no times; what it uses, it needs.
    const bool has_times = activity.span_ns() > 0;
    if (use.first == no_index)
      use.peak_use = PeakUse::never;
    else if (has_times && trace.buffers()[b].allocated_ns &&
             start_of(trace.commands()[use.first]) >= memory.peak_end_ns)
      use.peak_use = PeakUse::not_yet;
    else if (has_times && !use.outlives && end_of(trace.commands()[use.last]) < memory.peak_ns)
      use.peak_use = PeakUse::no_longer;
    else
      use.peak_use = PeakUse::needed;
    use.needed_at_peak = use.peak_use == PeakUse::needed;
    if (use.needed_at_peak && !is_view[b])
      memory.needed_at_peak_bytes += trace.buffers()[b].size_bytes;
  }
  return memory;
}

}  // namespace reel::analysis
