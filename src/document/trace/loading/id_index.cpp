#include "document/trace/loading/id_index.hpp"

#include <algorithm>

#include "reel/trace.hpp"

namespace reel::document {

IdIndex::IdIndex(std::span<const std::uint32_t> ids) {
  if (ids.empty()) return;
  const std::uint64_t largest = *std::ranges::max_element(ids);
  if (largest < 4 * ids.size() + 1024) {
    table_.assign(largest + 1, no_index);
    for (std::size_t place = 0; place < ids.size(); ++place) {
      std::uint32_t& entry = table_[ids[place]];
      if (entry == no_index)
        entry = static_cast<std::uint32_t>(place);
      else
        ++duplicates_;
    }
    return;
  }
  sorted_.reserve(ids.size());
  for (std::size_t place = 0; place < ids.size(); ++place)
    sorted_.emplace_back(ids[place], static_cast<std::uint32_t>(place));
  std::ranges::sort(sorted_);
  const auto end = std::unique(sorted_.begin(), sorted_.end(),
                               [](const auto& a, const auto& b) { return a.first == b.first; });
  duplicates_ = static_cast<std::size_t>(sorted_.end() - end);
  sorted_.erase(end, sorted_.end());
}

std::uint32_t IdIndex::find(std::uint32_t id) const noexcept {
  if (id < table_.size()) return table_[id];
  const auto found =
      std::ranges::lower_bound(sorted_, id, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
  return found != sorted_.end() && found->first == id ? found->second : no_index;
}

}  // namespace reel::document
