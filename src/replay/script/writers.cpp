#include "replay/script/writers.hpp"

#include <algorithm>
#include <utility>

#include "base/range_set.hpp"
#include "replay/script/script.hpp"

namespace reel::rerun {

Writers::Writers(const Trace& trace, const ElementTypes& types)
    : by_buffer_(trace.buffers().size()) {
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    const TraceWork& work = trace.work_of(trace.commands()[c]);
    const auto arguments = trace.arguments(work);
    std::size_t place = 0;  // among the buffers
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const TraceArgument& a = arguments[i];
      if (a.kind == ArgumentKind::null) ++place;
      if (a.kind != ArgumentKind::buffer) continue;
      const std::size_t parameter = place++;
      if (a.buffer == no_index || !a.size_bytes || !writes(a.access)) continue;
      Write write{c, a.offset_bytes, a.offset_bytes + a.size_bytes, {}};
      if (work.kernel != no_index) write.type = types.of(work.kernel, parameter);
      if (work.kind == WorkKind::copy && i > 0) {
        write.source = arguments[i - 1].buffer;
        write.source_begin = arguments[i - 1].offset_bytes;
      }
      by_buffer_[a.buffer].push_back(write);
    }
  }
}

const Writers::Write* Writers::find(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end,
                                    std::uint32_t until) const {
  const auto& writes = by_buffer_[buffer];
  auto it = std::upper_bound(writes.begin(), writes.end(), until,
                             [](std::uint32_t c, const Write& w) { return c < w.command; });
  while (it != writes.begin()) {
    --it;
    if (it->begin < end && begin < it->end) return &*it;
  }
  return nullptr;
}

std::uint32_t Writers::last(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end,
                            std::uint32_t until) const {
  const Write* write = find(buffer, begin, end, until);
  return write ? write->command : no_index;
}

Writers::Earliest Writers::earliest(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end,
                                    std::uint32_t until) const {
  Earliest earliest;
  RangeSet left;  // whose writer is not found yet
  left.add(begin, end);
  const auto& writes = by_buffer_[buffer];
  auto it = std::upper_bound(writes.begin(), writes.end(), until,
                             [](std::uint32_t c, const Write& w) { return c < w.command; });
  while (it != writes.begin() && left.overlaps(begin, end)) {
    --it;
    if (!left.overlaps(it->begin, it->end)) continue;
    bool is_first = true;
    left.for_each_in(it->begin, it->end, [&](std::uint64_t first, std::uint64_t) {
      if (std::exchange(is_first, false)) earliest = {it->command, first};
    });
    left.remove(it->begin, it->end);
  }
  return earliest;
}

std::optional<ElementType> Writers::type(std::uint32_t buffer, std::uint64_t begin,
                                         std::uint64_t end, std::uint32_t until) const {
  for (int hops = 0; hops < 16; ++hops) {
    const Write* write = find(buffer, begin, end, until);
    if (!write) return std::nullopt;
    if (write->source == no_index) return write->type;
    // From the same bytes of the source, before the copy.
    const std::uint64_t first = std::max(begin, write->begin), last = std::min(end, write->end);
    buffer = write->source;
    begin = write->source_begin + (first - write->begin);
    end = begin + (last - first);
    if (write->command == 0) return std::nullopt;
    until = write->command - 1;
  }
  return std::nullopt;
}

}  // namespace reel::rerun
