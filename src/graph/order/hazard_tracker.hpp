// hazard_tracker.hpp - which commands of a line may overlap, decided as they come.
//
// Holds the byte ranges touched since the last barrier (the current group). A command that
// conflicts with the group needs a barrier and starts the next group. Host calls conflict with
// everything. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reel/command.hpp"

namespace reel {

class HazardTracker {
 public:
  // Registers the command. True when a barrier must be issued before it. Of a Barrier itself:
  // true when it has something to separate.
  bool needs_barrier(const Work& work);
  // The same of a dispatch by groups, of whose arguments those in `ranges` are ranges, none of them
  // empty; each is a bit at its place. The others are no memory.
  bool needs_barrier(std::span<const Argument> arguments, std::uint32_t ranges);
  // True when these ranges conflict with the current group; then a new group is started, without
  // registering them.
  bool between(std::span<const BufferRange> reads, std::span<const BufferRange> writes);
  // As new, but for the memory it has.
  void start_over();
  // A barrier was issued for another reason: counts it and starts a new group.
  void barrier();
  // Everything before is known to be done (a wait on the host): starts over, counting nothing.
  void forget();

  std::size_t barriers() const noexcept { return barriers_; }
  // A barrier came last, and no command since.
  bool ends_with_barrier() const noexcept { return barriers_ > 0 && in_group_ == 0; }
  // Commands that joined a group in place of waiting for it.
  std::size_t avoided() const noexcept { return avoided_; }
  // [k]: groups of k + 1 commands, the current one included.
  std::vector<std::size_t> group_sizes() const;

 private:
  // Disjoint, sorted, merged where they touch: a thousand neighbouring slices are one interval.
  struct Interval {
    std::uint64_t begin = 0, end = 0;
    bool is_empty() const noexcept { return begin == end; }
    bool overlaps(Interval other) const noexcept { return begin < other.end && other.begin < end; }
  };
  using Intervals = std::vector<Interval>;
  static constexpr std::size_t few = 12;  // arguments of most dispatches
  enum Kind : std::uint8_t { read, written };
  static constexpr std::size_t kinds = 2;
  static Kind kind_of(Access access) noexcept { return writes(access) ? written : read; }
  static Interval bytes_of(const BufferRange& range) noexcept {
    return {range.offset_bytes, range.offset_bytes + range.size_bytes};
  }

  // What is looked at with every command is one line of the cache.
  struct alignas(64) Touched {
    const BufferResource* buffer = nullptr;
    std::uint64_t group = 0;  // the number of the group these belong to; of an older one: none
    // From the first byte to the last: one interval is most of what there is.
    std::array<Interval, kinds> hull{};
    bool has_lists = false;
    std::array<Intervals, kinds> lists;  // empty where it is one interval

    bool overlaps(Kind kind, Interval range) const {
      if (!hull[kind].overlaps(range)) return false;
      return !has_lists || one_overlaps(lists[kind], range);
    }
    void add(Kind kind, Interval range) {
      Interval& all = hull[kind];
      if (all.is_empty()) {
        all = range;
      } else if (has_lists || range.begin > all.end || range.end < all.begin) [[unlikely]] {
        add_to_list(kind, range);
      } else {
        all.begin = range.begin < all.begin ? range.begin : all.begin;
        all.end = range.end > all.end ? range.end : all.end;
      }
    }
    // Of a new group, with this alone. Not emptied first: what was just stored is slow to load.
    void start(std::uint64_t number, Kind kind, Interval range) noexcept {
      group = number;
      hull[kind] = range;
      hull[kinds - 1 - kind] = {};
      if (has_lists) [[unlikely]]
        clear_lists();
    }

   private:
    static bool one_overlaps(const Intervals& list, Interval range);
    void add_to_list(Kind kind, Interval range);
    void clear_lists() noexcept;
  };

  template <class Accesses>
  bool needs_barrier_for(bool is_fence, const Accesses& for_each);
  Touched& place_of(const BufferResource* buffer);
  bool conflicts(const Touched& touched, Interval range, Kind kind) const;
  bool conflicts(const BufferRange& range, Access access);
  void enter(Touched& touched, Interval range, Kind kind) const;
  Touched& entry_of(const BufferResource* buffer);  // there is room for it
  void next_group();
  void join_group(bool is_fence);
  void close_group();
  void grow();
  void count_room() noexcept;

  // By buffer, with open addressing; the size is a power of two, and half of it at most is used.
  // Entries outlive their group, so that closing one is a step of a number and the next finds
  // its memory there: a line of commands over the same buffers allocates nothing.
  std::vector<Touched> touched_;
  std::size_t used_ = 0;
  std::size_t mask_ = 0;  // of a place in the table
  std::size_t room_ = 0;  // so many may be used before a dispatch may need another table
  std::uint64_t group_ = 1;
  bool exclusive_ = false;  // a host call is in the group
  std::size_t in_group_ = 0, barriers_ = 0, avoided_ = 0;
  std::vector<std::size_t> sizes_;
};

}  // namespace reel
