#include "analysis/order/command_sets.hpp"

#include <algorithm>

namespace reel::analysis {

CommandSets::Set CommandSets::join(Set a, Set b, Shape shape) {
  if (a == none || a == b) return b;
  if (b == none) return a;
  constexpr std::uint64_t most = (1u << 31) - 1;
  const std::uint64_t count = std::uint64_t{this->count(a)} + this->count(b);
  pairs_.push_back({a, b, std::min(least(a), least(b)), std::max(last(a), last(b)),
                    stream(a) == stream(b) ? stream(a) : no_index,
                    static_cast<std::uint32_t>(std::min(count, most)),
                    static_cast<std::uint32_t>(shape)});
  return static_cast<Set>(pairs_.size() - 1) | pair_bit;
}

}  // namespace reel::analysis
