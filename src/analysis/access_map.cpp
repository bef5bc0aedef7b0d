#include "analysis/access_map.hpp"

#include <algorithm>

namespace reel::analysis {

template <class F>
void AccessMap::for_each_overlap(const Pieces& pieces, std::uint64_t begin, std::uint64_t end,
                                 F&& visit) {
  auto at = pieces.upper_bound(begin);
  if (at != pieces.begin() && std::prev(at)->second.end > begin) --at;
  for (; at != pieces.end() && at->first < end; ++at)
    visit(at->second, std::min(at->second.end, end) - std::max(at->first, begin));
}

void AccessMap::find(const TraceArgument& range, Access access,
                     std::vector<Hazard>& hazards) const {
  const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
  for_each_overlap(buffers_[range.buffer], begin, end,
                   [&](const Piece& piece, std::uint64_t bytes) {
                     if (reads(access) && piece.writer != no_index)
                       hazards.push_back({piece.writer, true, bytes});
                     if (!writes(access)) return;
                     for (const std::uint32_t reader : piece.readers)
                       hazards.push_back({reader, false, bytes});
                     // Readers have waited for the writer, so whoever waits for them has, too.
                     if (piece.readers.empty() && piece.writer != no_index && !reads(access))
                       hazards.push_back({piece.writer, false, bytes});
                   });
}

std::uint64_t AccessMap::unwritten(const TraceArgument& range) const {
  std::uint64_t written = 0;
  for_each_overlap(buffers_[range.buffer], range.offset_bytes,
                   range.offset_bytes + range.size_bytes,
                   [&](const Piece& piece, std::uint64_t bytes) {
                     if (piece.writer != no_index) written += bytes;
                   });
  return range.size_bytes - written;
}

void AccessMap::split(Pieces& pieces, std::uint64_t at) {
  const auto right = pieces.upper_bound(at);
  if (right == pieces.begin()) return;
  auto& [begin, piece] = *std::prev(right);
  if (begin == at || piece.end <= at) return;
  pieces.emplace_hint(right, at, piece);
  piece.end = at;
}

void AccessMap::enter(std::uint32_t command, const TraceArgument& range, Access access) {
  Pieces& pieces = buffers_[range.buffer];
  const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
  if (writes(access)) {
    const auto whole = pieces.find(begin);
    if (whole != pieces.end() && whole->second.end == end) {
      whole->second.writer = command;
      whole->second.readers.clear();
      return;
    }
    split(pieces, begin);
    split(pieces, end);
    const auto first = pieces.lower_bound(begin);
    pieces.erase(first, pieces.lower_bound(end));
    pieces.emplace(begin, Piece{end, command});
    return;
  }
  const auto note = [&](Piece& piece) {
    if (piece.readers.empty() || piece.readers.back() != command) piece.readers.push_back(command);
  };
  const auto whole = pieces.find(begin);
  if (whole != pieces.end() && whole->second.end == end) return note(whole->second);
  split(pieces, begin);
  split(pieces, end);
  std::uint64_t covered = begin;
  for (auto at = pieces.lower_bound(begin); covered < end; ++at) {
    const std::uint64_t next = at == pieces.end() ? end : std::min(at->first, end);
    if (covered < next) at = pieces.emplace_hint(at, covered, Piece{next});
    note(at->second);
    covered = at->second.end;
  }
}

}  // namespace reel::analysis
