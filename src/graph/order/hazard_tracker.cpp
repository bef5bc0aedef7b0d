#include "graph/order/hazard_tracker.hpp"

#include <algorithm>

#include "graph/commands/access.hpp"

namespace reel {
namespace {

void count_group(std::vector<std::size_t>& sizes, std::size_t commands) {
  if (commands == 0) return;
  if (sizes.size() < commands) sizes.resize(commands);
  ++sizes[commands - 1];
}

// Buffers that are gone leave their entries behind; at some point it is cheaper to start over.
constexpr std::size_t most_remembered = 4096;

}  // namespace

bool HazardTracker::Intervals::overlaps(std::uint64_t begin, std::uint64_t end) const {
  const auto first = std::partition_point(list.begin(), list.end(),
                                          [&](const Interval& i) { return i.end <= begin; });
  return first != list.end() && first->begin < end;
}

void HazardTracker::Intervals::add(std::uint64_t begin, std::uint64_t end) {
  // Those that overlap or touch [begin, end) melt into one.
  const auto first = std::partition_point(list.begin(), list.end(),
                                          [&](const Interval& i) { return i.end < begin; });
  const auto last =
      std::partition_point(first, list.end(), [&](const Interval& i) { return i.begin <= end; });
  if (first == last) {
    list.insert(first, {begin, end});
    return;
  }
  first->begin = std::min(first->begin, begin);
  first->end = std::max(std::prev(last)->end, end);
  list.erase(std::next(first), last);
}

bool HazardTracker::conflicts(const BufferRange& range, Access access) const {
  if (!range.buffer || range.size_bytes == 0) return false;
  if (exclusive_) return true;
  const auto found = touched_.find(range.buffer);
  if (found == touched_.end() || found->second.group != group_) return false;
  const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
  return found->second.writes.overlaps(begin, end) ||
         (writes(access) && found->second.reads.overlaps(begin, end));
}

void HazardTracker::enter(const BufferRange& range, Access access) {
  Touched& touched = touched_[range.buffer];
  if (touched.group != group_) {
    touched.group = group_;
    touched.reads.list.clear();
    touched.writes.list.clear();
  }
  // A range that is read and written conflicts as a written one does.
  Intervals& intervals = writes(access) ? touched.writes : touched.reads;
  intervals.add(range.offset_bytes, range.offset_bytes + range.size_bytes);
}

bool HazardTracker::needs_barrier(const Work& work) {
  bool conflict = in_group_ > 0 && (exclusive_ || orders_everything(work));
  if (!conflict && in_group_ > 0)
    for_each_access(work, [&](const BufferRange& range, Access access) {
      conflict = conflict || conflicts(range, access);
    });
  if (conflict) barrier();
  if (std::holds_alternative<Barrier>(work)) return conflict;

  avoided_ += in_group_ > 0;
  ++in_group_;
  exclusive_ = std::holds_alternative<HostCall>(work);
  for_each_access(work, [&](const BufferRange& range, Access access) { enter(range, access); });
  return conflict;
}

bool HazardTracker::between(std::span<const BufferRange> reads,
                            std::span<const BufferRange> writes) {
  const bool conflict =
      std::ranges::any_of(reads, [&](const auto& r) { return conflicts(r, Access::read); }) ||
      std::ranges::any_of(writes, [&](const auto& r) { return conflicts(r, Access::write); });
  if (conflict) barrier();
  return conflict;
}

void HazardTracker::barrier() {
  ++barriers_;
  close_group();
}

void HazardTracker::forget() { close_group(); }

void HazardTracker::close_group() {
  count_group(sizes_, in_group_);
  in_group_ = 0;
  exclusive_ = false;
  ++group_;
  if (touched_.size() > most_remembered) touched_.clear();
}

std::vector<std::size_t> HazardTracker::group_sizes() const {
  std::vector<std::size_t> sizes = sizes_;
  count_group(sizes, in_group_);
  return sizes;
}

}  // namespace reel
