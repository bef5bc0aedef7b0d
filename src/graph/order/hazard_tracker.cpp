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
  if (list.empty()) return false;
  const auto first = std::partition_point(list.begin(), list.end(),
                                          [&](const Interval& i) { return i.end <= begin; });
  return first != list.end() && first->begin < end;
}

void HazardTracker::Intervals::add(std::uint64_t begin, std::uint64_t end) {
  if (list.empty() || list.back().end < begin) {
    list.push_back({begin, end});
    return;
  }
  if (list.back().begin <= begin) {
    list.back().end = std::max(list.back().end, end);
    return;
  }
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

HazardTracker::Touched& HazardTracker::place_of(const BufferResource* buffer) {
  if (2 * used_ >= touched_.size()) [[unlikely]]
    grow();
  const std::size_t mask = touched_.size() - 1;
  // Objects are at least some 64 bytes apart.
  const std::uint64_t hash = (reinterpret_cast<std::uintptr_t>(buffer) >> 4) * 0x9e3779b97f4a7c15u;
  std::size_t at = (hash >> 32) & mask;
  while (touched_[at].buffer != buffer) {
    if (!touched_[at].buffer) {
      touched_[at].buffer = buffer;
      ++used_;
      break;
    }
    at = (at + 1) & mask;
  }
  return touched_[at];
}

void HazardTracker::grow() {
  std::vector<Touched> old(std::max<std::size_t>(16, 2 * touched_.size()));
  old.swap(touched_);
  used_ = 0;
  for (Touched& entry : old)
    if (entry.buffer) place_of(entry.buffer) = std::move(entry);
}

bool HazardTracker::conflicts(const BufferRange& range, Access access) {
  if (!range.buffer || range.size_bytes == 0) return false;
  if (exclusive_) return true;
  const Touched& touched = place_of(range.buffer);
  if (touched.group != group_) return false;
  const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
  return touched.writes.overlaps(begin, end) ||
         (writes(access) && touched.reads.overlaps(begin, end));
}

void HazardTracker::enter(const BufferRange& range, Access access) {
  Touched& touched = place_of(range.buffer);
  if (touched.group != group_) {
    touched.group = group_;
    touched.reads.list.clear();
    touched.writes.list.clear();
  }
  // A range that is read and written conflicts as a written one does.
  Intervals& intervals = writes(access) ? touched.writes : touched.reads;
  intervals.add(range.offset_bytes, range.offset_bytes + range.size_bytes);
}

// `for_each` visits the ranges of a command that is no barrier.
template <class Accesses>
bool HazardTracker::needs_barrier_for(bool is_fence, const Accesses& for_each) {
  bool conflict = in_group_ > 0 && (exclusive_ || is_fence);
  if (!conflict && in_group_ > 0)
    for_each([&](const BufferRange& range, Access access) {
      conflict = conflict || conflicts(range, access);
    });
  if (conflict) barrier();
  avoided_ += in_group_ > 0;
  ++in_group_;
  exclusive_ = is_fence;
  for_each([&](const BufferRange& range, Access access) { enter(range, access); });
  return conflict;
}

bool HazardTracker::needs_barrier(const Work& work) {
  if (!std::holds_alternative<Barrier>(work))
    return needs_barrier_for(orders_everything(work),
                             [&](const auto& visit) { for_each_access(work, visit); });
  const bool conflict = in_group_ > 0;
  if (conflict) barrier();
  return conflict;
}

bool HazardTracker::needs_barrier(std::span<const Argument> arguments) {
  return needs_barrier_for(false, [&](const auto& visit) {
    for (const Argument& argument : arguments)
      if (argument.kind == ArgumentKind::buffer && argument.range.size_bytes)
        visit(argument.range, argument.access);
  });
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
  if (used_ <= most_remembered) return;
  touched_.clear();
  used_ = 0;
}

void HazardTracker::start_over() {
  close_group();
  barriers_ = avoided_ = 0;
  sizes_.clear();
}

std::vector<std::size_t> HazardTracker::group_sizes() const {
  std::vector<std::size_t> sizes = sizes_;
  count_group(sizes, in_group_);
  return sizes;
}

}  // namespace reel
