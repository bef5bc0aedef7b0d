#include "analysis/sync/memory_pieces.hpp"

#include <algorithm>
#include <set>

#include "document/trace/ranges.hpp"

namespace reel::analysis {

MemoryPieces::MemoryPieces(const Trace& trace) : trace_(trace) {
  std::map<std::uint32_t, std::uint32_t> space_of_allocation;
  std::uint32_t spaces = 0;
  for (const TraceBuffer& buffer : trace.buffers()) {
    const std::uint32_t allocation = buffer.memory.allocation;
    if (allocation == no_index)
      space_of_buffer_.push_back(spaces++);
    else if (const auto [known, is_new] = space_of_allocation.try_emplace(allocation, spaces);
             is_new)
      space_of_buffer_.push_back(spaces++);
    else
      space_of_buffer_.push_back(known->second);
  }
  std::vector<std::set<std::uint64_t>> cuts(spaces);
  const auto cut = [&](const Place& place) {
    cuts[place.space].insert(place.begin);
    cuts[place.space].insert(place.end);
  };
  for (const TraceWork& work : trace.works())
    for_each_range(trace, work, [&](const TraceArgument& argument, Access) {
      cut(place_of(argument.buffer, argument.offset_bytes, argument.size_bytes));
    });
  std::vector<std::vector<std::pair<Place, BarrierChains::Range>>> barriers(spaces);
  for (const TraceBarrier& row : trace.barriers()) {
    if (row.buffer == no_index) continue;
    const Place place = place_of(row.buffer, row.offset_bytes, row.size_bytes);
    const auto [known, is_new] = ranges_.try_emplace(
        {place.space, place.begin, place.end}, static_cast<BarrierChains::Range>(ranges_.size()));
    if (!is_new) continue;
    cut(place);
    barriers[place.space].emplace_back(place, known->second);
  }
  spaces_.resize(spaces);
  for (std::uint32_t space = 0; space < spaces; ++space) {
    for (auto at = cuts[space].begin();
         at != cuts[space].end() && std::next(at) != cuts[space].end(); ++at) {
      MemoryPiece piece{.begin = *at, .end = *std::next(at)};
      piece.first_range = static_cast<std::uint32_t>(covering_.size());
      for (const auto& [place, range] : barriers[space])
        if (place.begin <= piece.begin && piece.end <= place.end) covering_.push_back(range);
      piece.range_count = static_cast<std::uint32_t>(covering_.size()) - piece.first_range;
      spaces_[space].push_back(std::move(piece));
    }
  }
}

MemoryPieces::Place MemoryPieces::place_of(std::uint32_t buffer, std::uint64_t offset,
                                           std::uint64_t size) const {
  const TraceBuffer& known = trace_.buffers()[buffer];
  const std::uint64_t base = known.memory.allocation == no_index ? 0 : known.memory.offset_bytes;
  const std::uint64_t begin = std::min(offset, known.size_bytes);
  // VK_WHOLE_SIZE is to the end, and so is what goes beyond it.
  const std::uint64_t rest = known.size_bytes - begin;
  const std::uint64_t end = begin + std::min(size, rest);
  return {space_of_buffer_[buffer], base + begin, base + end};
}

BarrierChains::Range MemoryPieces::range_of(const TraceBarrier& row) const {
  if (row.buffer == no_index) return BarrierChains::all_memory;
  const Place place = place_of(row.buffer, row.offset_bytes, row.size_bytes);
  return ranges_.at({place.space, place.begin, place.end});
}

}  // namespace reel::analysis
