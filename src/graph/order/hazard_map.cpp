#include "graph/order/hazard_map.hpp"

#include <algorithm>
#include <iterator>

#include "graph/order/precedence.hpp"

namespace reel {

std::vector<std::uint32_t> HazardMap::next(std::span<const Use> uses, bool fence) {
  const std::uint32_t self = count_;
  std::vector<std::uint32_t> waits;
  if (fence) {
    for (std::uint32_t i = last_fence_ == nobody ? 0 : last_fence_ + 1; i < self; ++i)
      waits.push_back(i);
    if (waits.empty() && last_fence_ != nobody) waits.push_back(last_fence_);
    // Whatever comes later waits for the fence, and the fence for all that was in here.
    buffers_.clear();
    last_fence_ = self;
  } else if (last_fence_ != nobody) {
    waits.push_back(last_fence_);
  }

  // All is looked up before any is entered, so that a node never waits for itself; writes are
  // entered last, for a node that reads what it writes is known as its writer.
  for (const Use& use : uses) find(use, waits);
  for (const Use& use : uses)
    if (!writes(use.access))
      add_reader(buffers_[use.range.buffer], use.range.offset_bytes,
                 use.range.offset_bytes + use.range.size_bytes);
  for (const Use& use : uses)
    if (writes(use.access))
      set_writer(buffers_[use.range.buffer], use.range.offset_bytes,
                 use.range.offset_bytes + use.range.size_bytes);
  ++count_;
  sort_unique(waits);
  return waits;
}

void HazardMap::find(const Use& use, std::vector<std::uint32_t>& waits) const {
  const auto buffer = buffers_.find(use.range.buffer);
  if (buffer == buffers_.end()) return;
  const Pieces& pieces = buffer->second;
  const std::uint64_t begin = use.range.offset_bytes, end = begin + use.range.size_bytes;
  auto at = pieces.upper_bound(begin);
  if (at != pieces.begin() && std::prev(at)->second.end > begin) --at;
  for (; at != pieces.end() && at->first < end; ++at) {
    const Piece& piece = at->second;
    // The readers wait for the writer, so whoever waits for them waits for it too.
    if (writes(use.access) && !piece.readers.empty())
      waits.insert(waits.end(), piece.readers.begin(), piece.readers.end());
    else if (piece.writer != nobody)
      waits.push_back(piece.writer);
  }
}

void HazardMap::split(Pieces& pieces, std::uint64_t at) {
  auto right = pieces.upper_bound(at);
  if (right == pieces.begin()) return;
  auto& [begin, piece] = *std::prev(right);
  if (begin == at || piece.end <= at) return;
  pieces.emplace_hint(right, at, piece);
  piece.end = at;
}

void HazardMap::add_reader(Pieces& pieces, std::uint64_t begin, std::uint64_t end) const {
  split(pieces, begin);
  split(pieces, end);
  std::uint64_t covered = begin;
  for (auto at = pieces.lower_bound(begin); covered < end; ++at) {
    const std::uint64_t next = at == pieces.end() ? end : std::min(at->first, end);
    if (covered < next)  // a gap
      at = pieces.emplace_hint(at, covered, Piece{next});
    std::vector<std::uint32_t>& readers = at->second.readers;
    if (readers.empty() || readers.back() != count_) readers.push_back(count_);
    covered = at->second.end;
  }
}

void HazardMap::set_writer(Pieces& pieces, std::uint64_t begin, std::uint64_t end) {
  // The common case, a buffer written whole again and again, changes one piece in place.
  if (const auto same = pieces.find(begin); same != pieces.end() && same->second.end == end) {
    same->second.writer = count_;
    same->second.readers.clear();
    return;
  }
  split(pieces, begin);
  split(pieces, end);
  const auto after = pieces.erase(pieces.lower_bound(begin), pieces.lower_bound(end));
  pieces.emplace_hint(after, begin, Piece{end, count_});
}

}  // namespace reel
