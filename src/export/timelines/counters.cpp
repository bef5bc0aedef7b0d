#include "export/timelines/counters.hpp"

#include <algorithm>

namespace reel {
namespace {

struct Change {
  std::uint64_t time_ns;
  bool is_more;
  std::uint64_t value;
};

// What ends in the moment in which something begins was not there at once with it.
Counter counter_of(std::vector<Change> changes) {
  std::ranges::stable_sort(changes, {},
                           [](const Change& c) { return std::pair(c.time_ns, c.is_more); });
  Counter counter;
  std::uint64_t now = 0;
  for (const Change& change : changes) {
    now = change.is_more ? now + change.value : now - std::min(now, change.value);
    if (!counter.empty() && counter.back().time_ns == change.time_ns)
      counter.back().value = now;
    else
      counter.push_back({change.time_ns, now});
  }
  return counter;
}

std::vector<Counter> counters_of(std::vector<std::vector<Change>> devices) {
  std::vector<Counter> counters;
  counters.reserve(devices.size());
  for (std::vector<Change>& changes : devices) counters.push_back(counter_of(std::move(changes)));
  return counters;
}

}  // namespace

std::vector<Counter> memory_counters(const Trace& trace, const analysis::Memory& memory) {
  std::vector<std::vector<Change>> devices(trace.devices().size());
  for (std::size_t b = 0; b < trace.buffers().size(); ++b) {
    const TraceBuffer& buffer = trace.buffers()[b];
    const analysis::BufferUse& use = memory.buffers[b];
    if (buffer.device == no_index || use.alive_from_ns == 0) continue;
    devices[buffer.device].push_back({use.alive_from_ns, true, buffer.size_bytes});
    if (!use.outlives)
      devices[buffer.device].push_back({use.alive_to_ns, false, buffer.size_bytes});
  }
  return counters_of(std::move(devices));
}

std::vector<Counter> depth_counters(const Trace& trace) {
  std::vector<std::vector<Change>> devices(trace.devices().size());
  for (const TraceCommand& command : trace.commands()) {
    const std::uint32_t device = trace.streams()[command.stream].device;
    const std::uint64_t given_ns = command.queued_ns ? command.queued_ns : command.call_begin_ns;
    if (device == no_index || given_ns == 0 || command.ended_ns < given_ns) continue;
    devices[device].push_back({given_ns, true, 1});
    devices[device].push_back({command.ended_ns, false, 1});
  }
  return counters_of(std::move(devices));
}

}  // namespace reel
