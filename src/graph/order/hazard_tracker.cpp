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

bool HazardTracker::Intervals::one_overlaps(std::uint64_t from, std::uint64_t to) const {
  const auto first = std::partition_point(list.begin(), list.end(),
                                          [&](const Interval& i) { return i.end <= from; });
  return first != list.end() && first->begin < to;
}

void HazardTracker::Intervals::add_to_list(std::uint64_t from, std::uint64_t to) {
  if (list.empty()) list.push_back({begin, end});
  // Those that overlap or touch [from, to) melt into one.
  const auto first = std::partition_point(list.begin(), list.end(),
                                          [&](const Interval& i) { return i.end < from; });
  const auto last =
      std::partition_point(first, list.end(), [&](const Interval& i) { return i.begin <= to; });
  if (first == last) {
    list.insert(first, {from, to});
  } else {
    first->begin = std::min(first->begin, from);
    first->end = std::max(std::prev(last)->end, to);
    list.erase(std::next(first), last);
  }
  begin = list.front().begin;
  end = list.back().end;
  if (list.size() == 1) list.clear();
}

[[gnu::always_inline]] inline HazardTracker::Touched& HazardTracker::entry_of(
    const BufferResource* buffer) {
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

HazardTracker::Touched& HazardTracker::place_of(const BufferResource* buffer) {
  if (2 * used_ >= touched_.size()) [[unlikely]]
    grow();
  return entry_of(buffer);
}

void HazardTracker::grow() {
  std::vector<Touched> old(std::max<std::size_t>(32, 2 * touched_.size()));
  old.swap(touched_);
  used_ = 0;
  for (Touched& entry : old)
    if (entry.buffer) place_of(entry.buffer) = std::move(entry);
}

inline bool HazardTracker::conflicts(const Touched& touched, const BufferRange& range,
                                     Access access) const {
  if (touched.group != group_) return false;
  const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
  return touched.writes.overlaps(begin, end) ||
         (writes(access) && touched.reads.overlaps(begin, end));
}

bool HazardTracker::conflicts(const BufferRange& range, Access access) {
  if (!range.buffer || range.size_bytes == 0) return false;
  return exclusive_ || conflicts(place_of(range.buffer), range, access);
}

inline void HazardTracker::enter(Touched& touched, const BufferRange& range, Access access) const {
  if (touched.group != group_) {
    touched.group = group_;
    touched.reads.clear();
    touched.writes.clear();
  }
  // A range that is read and written conflicts as a written one does.
  Intervals& intervals = writes(access) ? touched.writes : touched.reads;
  intervals.add(range.offset_bytes, range.offset_bytes + range.size_bytes);
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
    enter(place_of(range.buffer), range, access);
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

bool HazardTracker::needs_barrier(std::span<const Argument> arguments) {
  const auto is_range = [](const Argument& argument) {
    return argument.kind == ArgumentKind::buffer && argument.range.size_bytes != 0;
  };
  constexpr std::size_t few = 12;
  // Places stay where they are unless the table grows, or starts over.
  if (arguments.size() > few || 2 * (used_ + few) >= touched_.size() || used_ > most_remembered)
      [[unlikely]]
    return needs_barrier_for(false, [&](const auto& visit) {
      for (const Argument& argument : arguments)
        if (is_range(argument)) visit(argument.range, argument.access);
    });
  Touched* places[few];
  bool conflict = in_group_ > 0 && exclusive_;
  const bool may_conflict = in_group_ > 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (!is_range(argument)) continue;
    places[i] = &entry_of(argument.range.buffer);
    if (may_conflict && conflicts(*places[i], argument.range, argument.access)) conflict = true;
  }
  if (conflict) {
    ++barriers_;
    next_group();
  }
  join_group(false);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (is_range(arguments[i])) enter(*places[i], arguments[i].range, arguments[i].access);
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
