// How much memory was allocated when, and which buffers were of use.
#include <algorithm>
#include <utility>

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

// Commands that do one work.
struct Doers {
  std::uint32_t first = no_index, last = 0, count = 0;
};

// By work: equal commands share one, and use the same buffers.
class UseSearch {
 public:
  UseSearch(const Trace& trace, std::vector<BufferUse>& buffers, std::vector<bool>& is_view)
      : buffers_(buffers), used_by_(buffers.size(), no_index), read_by_(used_by_) {
    std::vector<Doers> doers(trace.works().size());
    std::uint32_t c = 0;
    for (const TraceCommand& command : trace.commands()) {
      Doers& its = doers[command.work];
      if (its.count++ == 0) its.first = c;
      its.last = c++;
    }
    for (std::uint32_t w = 0; w < doers.size(); ++w) {
      if (doers[w].count == 0) continue;
      for_each_range(trace, trace.works()[w], [&](const TraceArgument& range, Access access) {
        add(range.buffer, w, doers[w], access);
        if (range.view == no_index) return;
        add(range.view, w, doers[w], access);
        is_view[range.view] = true;
      });
    }
  }

 private:
  void add(std::uint32_t buffer, std::uint32_t work, const Doers& doers, Access access) {
    BufferUse& use = buffers_[buffer];
    const auto take = [&](std::uint32_t& first, std::uint32_t& last) {
      first = std::min(first, doers.first);
      last = last == no_index ? doers.last : std::max(last, doers.last);
    };
    const bool again = std::exchange(used_by_[buffer], work) == work;  // given twice to one command
    take(use.first, use.last);
    if (reads(access)) {
      take(use.first_read, use.last_read);
      if (std::exchange(read_by_[buffer], work) != work) use.reads += doers.count;
    }
    if (writes(access) && !again) use.writes += doers.count;
  }

  std::vector<BufferUse>& buffers_;
  std::vector<std::uint32_t> used_by_, read_by_;  // the last work that did
};

}  // namespace

Memory find_memory(const Trace& trace, const Activity& activity) {
  Memory memory;
  memory.buffers.resize(trace.buffers().size());
  std::vector<bool> is_view(trace.buffers().size());  // an image that shows another's bytes
  UseSearch(trace, memory.buffers, is_view);

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
