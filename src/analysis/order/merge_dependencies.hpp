// merge_dependencies.hpp - one dependency for each pair of commands, of those found range by range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <vector>

#include "reel/analysis.hpp"

namespace reel::analysis {

// Of those from `first` on, which are of one later command: data counts more than order. Bytes of
// all buffers are added up, and how many those are is told.
inline void merge_dependencies(std::vector<Dependency>& found, std::size_t first) {
  const auto begin = found.begin() + static_cast<std::ptrdiff_t>(first);
  if (found.end() - begin < 2) return;
  const auto key = [](const Dependency& d) { return std::tuple(d.from, d.set, d.kind); };
  constexpr std::ptrdiff_t few = 16;
  if (found.end() - begin > few) {
    std::ranges::stable_sort(begin, found.end(), {}, key);
  } else {  // one by one into its place: a stable_sort asks for memory each time
    for (auto next = begin + 1; next != found.end(); ++next) {
      if (key(*std::prev(next)) <= key(*next)) continue;
      const auto place = std::ranges::upper_bound(begin, next, key(*next), {}, key);
      std::rotate(place, next, next + 1);
    }
  }
  std::vector<std::uint32_t> others;  // buffers of the one that is kept, beside its first
  auto kept = begin;
  for (auto at = begin + 1; at != found.end(); ++at) {
    if (at->from != kept->from || at->set != kept->set) {
      *++kept = *at;
      others.clear();
    } else if (at->kind == kept->kind) {
      kept->bytes += at->bytes;
      if (at->buffer == kept->buffer || std::ranges::find(others, at->buffer) != others.end())
        continue;
      others.push_back(at->buffer);
      ++kept->more_buffers;
    }
  }
  found.erase(kept + 1, found.end());
}

}  // namespace reel::analysis
