// reserve_by_part.hpp - room for a list of which a part is made, and nobody knows how long it gets.
//
// A list that doubles moves all it has again and again, into memory that the system has to hand out
// page by page: for ten million commands that takes longer than what is put into it.
#pragma once

#include <cstddef>
#include <vector>

namespace reel::analysis {

// `done` of `all` rounds are made. After a sixteenth of many, the others are taken to be like them.
template <class T>
void reserve_by_part(std::vector<T>& list, std::size_t done, std::size_t all) {
  constexpr std::size_t parts = 16, fewest = std::size_t{1} << 16;
  if (all < fewest || done != all / parts) return;
  // Half as much again: later rounds may make more, and what isn't touched takes no memory.
  list.reserve(list.size() * parts * 3 / 2);
}

}  // namespace reel::analysis
