// intervals.hpp - spans of time, merged; how much of another span they cover.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace reel::analysis {

class Intervals {
 public:
  Intervals() = default;
  // Of begins and ends; what ends before it begins is left out.
  explicit Intervals(std::vector<std::pair<std::uint64_t, std::uint64_t>> spans) {
    std::erase_if(spans, [](const auto& span) { return span.second <= span.first; });
    std::ranges::sort(spans);
    for (const auto& [begin, end] : spans) {
      if (!spans_.empty() && begin <= spans_.back().end)
        spans_.back().end = std::max(spans_.back().end, end);
      else
        spans_.push_back({begin, end});
    }
    for (Span& span : spans_) {
      span.before = total_;
      total_ += span.end - span.begin;
    }
  }

  std::uint64_t covered(std::uint64_t begin, std::uint64_t end) const {
    return end > begin ? covered_before(end) - covered_before(begin) : 0;
  }
  std::uint64_t total() const noexcept { return total_; }

  // visit(begin, end) for each part of [begin, end) that is covered, in order.
  template <class F>
  void for_each_within(std::uint64_t begin, std::uint64_t end, F&& visit) const {
    auto at = std::ranges::upper_bound(spans_, begin, {}, &Span::end);
    for (; at != spans_.end() && at->begin < end; ++at)
      visit(std::max(begin, at->begin), std::min(end, at->end));
  }

 private:
  struct Span {
    std::uint64_t begin, end, before = 0;  // covered by those before it
  };
  std::uint64_t covered_before(std::uint64_t time) const {
    const auto after = std::ranges::upper_bound(spans_, time, {}, &Span::begin);
    if (after == spans_.begin()) return 0;
    const Span& span = *std::prev(after);
    return span.before + std::min(time, span.end) - span.begin;
  }
  std::vector<Span> spans_;
  std::uint64_t total_ = 0;
};

}  // namespace reel::analysis
