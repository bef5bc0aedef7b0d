// source_map.hpp - for every byte of a buffer, where it comes from.
//
// Pieces without gaps over the whole buffer; equal neighbours are not joined.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace reel::document {

template <class Source>
class SourceMap {
 public:
  struct Piece {
    std::uint64_t begin, end;
    Source source;
  };

  SourceMap() = default;
  SourceMap(std::uint64_t size_bytes, const Source& source) {
    if (size_bytes > 0) pieces_[0] = {size_bytes, source};
  }

  void assign(std::uint64_t begin, std::uint64_t end, const Source& source) {
    if (begin >= end) return;
    split(begin);
    split(end);
    pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(end));
    pieces_[begin] = {end, source};
  }
  // The pieces of a range, cut to it.
  std::vector<Piece> pieces(std::uint64_t begin, std::uint64_t end) const {
    std::vector<Piece> found;
    if (begin >= end || pieces_.empty()) return found;
    auto at = pieces_.upper_bound(begin);
    if (at != pieces_.begin()) --at;
    for (; at != pieces_.end() && at->first < end; ++at)
      if (at->second.end > begin)
        found.push_back(
            {std::max(at->first, begin), std::min(at->second.end, end), at->second.source});
    return found;
  }

 private:
  struct Entry {
    std::uint64_t end;
    Source source;
  };
  void split(std::uint64_t at) {
    auto next = pieces_.upper_bound(at);
    if (next == pieces_.begin()) return;
    const auto piece = std::prev(next);
    if (piece->first == at || piece->second.end <= at) return;
    pieces_.emplace_hint(next, at, piece->second);
    piece->second.end = at;
  }
  std::map<std::uint64_t, Entry> pieces_;
};

}  // namespace reel::document
