// surely_written.hpp - what a graph has written in any case, while it is gone through.
//
// Buffers have places, in the order in which they come. What one branch of a decision writes may
// not have been written; what all of them write was, where one of them runs in any case.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "base/range_set.hpp"
#include "graph/node_payload.hpp"
#include "reel/command.hpp"

namespace reel {

class SurelyWritten {
 public:
  bool has(std::size_t place, const BufferRange& range) const {
    if (range.size_bytes == 0) return true;
    return place < written_.size() &&
           written_[place].contains(range.offset_bytes, range.offset_bytes + range.size_bytes);
  }
  void add(std::size_t place, const BufferRange& range) {
    if (place >= written_.size()) written_.resize(place + 1);
    written_[place].add(range.offset_bytes, range.offset_bytes + range.size_bytes);
  }

  // go_through(branch) adds what the branch writes.
  template <class F>
  void add_branches(const Decision& decision, F&& go_through) {
    const std::vector<RangeSet> before = written_;
    std::vector<RangeSet> by_all;
    for (const auto& branch : decision.branches) {
      written_ = before;
      go_through(*branch);
      const bool is_first = &branch == &decision.branches.front();
      by_all = is_first ? std::move(written_) : in_both(by_all, written_);
    }
    written_ = runs_one(decision) ? std::move(by_all) : before;
  }

 private:
  // A switch ends its launch where it has no case for a number.
  static bool runs_one(const Decision& decision) noexcept {
    switch (decision.kind) {
      case DecisionKind::repeat:
        return decision.count > 0;
      case DecisionKind::if_else:
        return decision.branches.size() == 2;
      case DecisionKind::switch_case:
        return true;
      case DecisionKind::while_loop:
        return false;
    }
    return false;
  }
  static std::vector<RangeSet> in_both(const std::vector<RangeSet>& a,
                                       const std::vector<RangeSet>& b) {
    constexpr std::uint64_t whole = std::numeric_limits<std::uint64_t>::max();
    std::vector<RangeSet> both(std::min(a.size(), b.size()));
    for (std::size_t i = 0; i < both.size(); ++i)
      a[i].for_each_in(0, whole, [&](std::uint64_t begin, std::uint64_t end) {
        b[i].for_each_in(
            begin, end, [&](std::uint64_t first, std::uint64_t last) { both[i].add(first, last); });
      });
    return both;
  }

  std::vector<RangeSet> written_;  // by place; nothing of those behind the last
};

}  // namespace reel
