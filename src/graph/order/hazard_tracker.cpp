#include "graph/order/hazard_tracker.hpp"

#include <algorithm>
#include <bit>

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

bool HazardTracker::Touched::one_overlaps(const Intervals& list, Interval range) {
  if (list.empty()) return true;  // it is one
  const auto first = std::partition_point(list.begin(), list.end(),
                                          [&](const Interval& i) { return i.end <= range.begin; });
  return first != list.end() && first->begin < range.end;
}

void HazardTracker::Touched::add_to_list(Kind kind, Interval range) {
  Intervals& list = lists[kind];
  Interval& all = hull[kind];
  if (list.empty()) list.push_back(all);
  // Those that overlap or touch the range melt into one.
  const auto first = std::partition_point(list.begin(), list.end(),
                                          [&](const Interval& i) { return i.end < range.begin; });
  const auto last = std::partition_point(first, list.end(),
                                         [&](const Interval& i) { return i.begin <= range.end; });
  if (first == last) {
    list.insert(first, range);
  } else {
    first->begin = std::min(first->begin, range.begin);
    first->end = std::max(std::prev(last)->end, range.end);
    list.erase(std::next(first), last);
  }
  all = {list.front().begin, list.back().end};
  if (list.size() == 1) list.clear();
  has_lists = !lists[read].empty() || !lists[written].empty();
}

void HazardTracker::Touched::clear_lists() noexcept {
  for (Intervals& list : lists) list.clear();
  has_lists = false;
}

[[gnu::always_inline]] inline HazardTracker::Touched& HazardTracker::entry_of(
    const BufferResource* buffer) {
  // Numbered one after another, the buffers of a program lie apart.
  std::size_t at = static_cast<std::size_t>(buffer->id) & mask_;
  while (touched_[at].buffer != buffer) {
    if (!touched_[at].buffer) {
      touched_[at].buffer = buffer;
      ++used_;
      break;
    }
    at = (at + 1) & mask_;
  }
  return touched_[at];
}

HazardTracker::Touched& HazardTracker::place_of(const BufferResource* buffer) {
  if (2 * used_ >= touched_.size()) [[unlikely]]
    grow();
  return entry_of(buffer);
}

void HazardTracker::grow() {
  std::vector<Touched> old(std::max<std::size_t>(32, 2 * touched_.size()));
  old.swap(touched_);
  used_ = 0;
  count_room();
  for (Touched& entry : old)
    if (entry.buffer) entry_of(entry.buffer) = std::move(entry);
}

void HazardTracker::count_room() noexcept {
  mask_ = touched_.size() - 1;
  const std::size_t half = touched_.size() / 2;
  room_ = half < few ? 0 : std::min(half - few, most_remembered);
}

inline bool HazardTracker::conflicts(const Touched& touched, Interval range, Kind kind) const {
  if (touched.group != group_) return false;
  return touched.overlaps(written, range) || (kind == written && touched.overlaps(read, range));
}

bool HazardTracker::conflicts(const BufferRange& range, Access access) {
  if (!range.buffer || range.size_bytes == 0) return false;
  return exclusive_ || conflicts(place_of(range.buffer), bytes_of(range), kind_of(access));
}

// A range that is read and written conflicts as a written one does.
inline void HazardTracker::enter(Touched& touched, Interval range, Kind kind) const {
  if (touched.group != group_)
    touched.start(group_, kind, range);
  else
    touched.add(kind, range);
}

inline void HazardTracker::next_group() {
  if (in_group_ > 0 && in_group_ <= sizes_.size()) [[likely]]
    ++sizes_[in_group_ - 1];
  else
    count_group(sizes_, in_group_);
  in_group_ = 0;
  exclusive_ = false;
  ++group_;
}

inline void HazardTracker::join_group(bool is_fence) {
  avoided_ += in_group_ > 0;
  ++in_group_;
  exclusive_ = is_fence;
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
  join_group(is_fence);
  for_each([&](const BufferRange& range, Access access) {
    enter(place_of(range.buffer), bytes_of(range), kind_of(access));
  });
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

bool HazardTracker::needs_barrier(std::span<const Argument> arguments, std::uint32_t ranges) {
  const auto for_each_range = [&](const auto& visit) {
    for (std::uint32_t left = ranges; left != 0; left &= left - 1) {
      const Argument& argument = arguments[static_cast<std::size_t>(std::countr_zero(left))];
      visit(argument.range, argument.access);
    }
  };
  // Places stay where they are unless the table grows, or starts over.
  if (used_ >= room_) [[unlikely]]
    return needs_barrier_for(false, for_each_range);
  bool conflict = exclusive_;  // and so in the group
  for_each_range([&](const BufferRange& range, Access access) {
    if (conflicts(entry_of(range.buffer), bytes_of(range), kind_of(access))) conflict = true;
  });
  if (conflict) {
    ++barriers_;
    next_group();
  }
  join_group(false);
  // Found again: keeping the places takes longer.
  for_each_range([&](const BufferRange& range, Access access) {
    enter(entry_of(range.buffer), bytes_of(range), kind_of(access));
  });
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
  next_group();
  if (used_ <= most_remembered) return;
  touched_.clear();
  used_ = 0;
  count_room();
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
