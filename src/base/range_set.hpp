// range_set.hpp - a set of bytes, as half-open ranges that neither touch nor overlap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace reel {

class RangeSet {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    auto it = ranges_.upper_bound(begin);
    if (it != ranges_.begin() && std::prev(it)->second >= begin) {
      --it;
      if (it->second >= end) return;  // it is there, as most that programs write again and again is
    }
    while (it != ranges_.end() && it->first <= end) {
      begin = std::min(begin, it->first);
      end = std::max(end, it->second);
      it = ranges_.erase(it);
    }
    ranges_.emplace_hint(it, begin, end);
  }

  void remove(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    auto it = ranges_.upper_bound(begin);
    if (it != ranges_.begin() && std::prev(it)->second > begin) --it;
    while (it != ranges_.end() && it->first < end) {
      const auto [first, last] = *it;
      it = ranges_.erase(it);
      if (first < begin) ranges_.emplace_hint(it, first, begin);
      if (last > end) it = ranges_.emplace_hint(it, end, last);
    }
  }

  bool contains(std::uint64_t begin, std::uint64_t end) const {
    if (begin >= end) return true;
    const auto it = ranges_.upper_bound(begin);
    return it != ranges_.begin() && std::prev(it)->second >= end;
  }

  bool overlaps(std::uint64_t begin, std::uint64_t end) const {
    bool found = false;
    for_each_in(begin, end, [&](std::uint64_t, std::uint64_t) { found = true; });
    return found;
  }

  // visit(begin, end) for each part of [begin, end) that is in the set, or that is not.
  template <class F>
  void for_each_in(std::uint64_t begin, std::uint64_t end, F&& visit) const {
    if (begin >= end) return;
    auto it = ranges_.upper_bound(begin);
    if (it != ranges_.begin() && std::prev(it)->second > begin) --it;
    for (; it != ranges_.end() && it->first < end; ++it)
      visit(std::max(begin, it->first), std::min(end, it->second));
  }
  template <class F>
  void for_each_gap(std::uint64_t begin, std::uint64_t end, F&& visit) const {
    std::uint64_t at = begin;
    for_each_in(begin, end, [&](std::uint64_t first, std::uint64_t last) {
      if (first > at) visit(at, first);
      at = last;
    });
    if (at < end) visit(at, end);
  }

  bool empty() const noexcept { return ranges_.empty(); }
  std::size_t count() const noexcept { return ranges_.size(); }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // begin -> end
};

}  // namespace reel
