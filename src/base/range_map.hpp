// range_map.hpp - something known of ranges [begin, end) that don't overlap.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace reel {

template <class T>
class RangeMap {
 public:
  // Of exactly this range; null if there is none.
  const T* of(std::uint64_t begin, std::uint64_t end) const {
    const auto found = ranges_.find(begin);
    return found != ranges_.end() && found->second.end == end ? &found->second.value : nullptr;
  }

  // What overlaps is gone, all of it.
  void forget(std::uint64_t begin, std::uint64_t end) {
    auto at = first_that_overlaps(begin);
    while (at != ranges_.end() && at->first < end) at = ranges_.erase(at);
  }
  void set(std::uint64_t begin, std::uint64_t end, T value) {
    forget(begin, end);
    if (begin < end) ranges_.emplace(begin, Range{end, std::move(value)});
  }

  // visit(T&) for each that overlaps.
  template <class F>
  void for_each(std::uint64_t begin, std::uint64_t end, F&& visit) {
    for (auto at = first_that_overlaps(begin); at != ranges_.end() && at->first < end; ++at)
      visit(at->second.value);
  }

 private:
  struct Range {
    std::uint64_t end;
    T value;
  };
  using Ranges = std::map<std::uint64_t, Range>;

  typename Ranges::iterator first_that_overlaps(std::uint64_t begin) {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second.end > begin) --at;
    return at;
  }

  Ranges ranges_;  // by begin
};

}  // namespace reel
