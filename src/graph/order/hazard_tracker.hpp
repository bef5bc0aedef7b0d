// hazard_tracker.hpp - which commands of a line may overlap, decided as they come.
//
// Holds the byte ranges touched since the last barrier (the current group). A command that
// conflicts with the group needs a barrier and starts the next group. Host calls conflict with
// everything. One thread.
#pragma once

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
  // The same of a dispatch with these arguments, of which none is an image, and no indirect grid.
  bool needs_barrier(std::span<const Argument> arguments);
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
  struct Intervals {
    struct Interval {
      std::uint64_t begin, end;
    };
    // The first and the last byte of the whole list: one interval is most of what there is.
    std::uint64_t begin = 0, end = 0;
    std::vector<Interval> list;  // where it is one, only `begin` and `end` are
    bool overlaps(std::uint64_t from, std::uint64_t to) const {
      if (to <= begin || end <= from) return false;
      return list.empty() || one_overlaps(from, to);
    }
    void add(std::uint64_t from, std::uint64_t to) {
      if (begin == end) {
        begin = from;
        end = to;
      } else if (!list.empty() || from > end || to < begin) [[unlikely]] {
        add_to_list(from, to);
      } else {
        begin = from < begin ? from : begin;
        end = to > end ? to : end;
      }
    }
    void clear() noexcept {
      begin = end = 0;
      if (!list.empty()) list.clear();
    }

   private:
    bool one_overlaps(std::uint64_t from, std::uint64_t to) const;
    void add_to_list(std::uint64_t from, std::uint64_t to);
  };
  struct Touched {
    const BufferResource* buffer = nullptr;
    std::uint64_t group = 0;  // the number of the group these belong to; of an older one: none
    Intervals reads, writes;
  };

  template <class Accesses>
  bool needs_barrier_for(bool is_fence, const Accesses& for_each);
  Touched& place_of(const BufferResource* buffer);
  bool conflicts(const Touched& touched, const BufferRange& range, Access access) const;
  bool conflicts(const BufferRange& range, Access access);
  void enter(Touched& touched, const BufferRange& range, Access access) const;
  Touched& entry_of(const BufferResource* buffer);  // there is room for it
  void next_group();
  void join_group(bool is_fence);
  void close_group();
  void grow();

  // By buffer, with open addressing; the size is a power of two, and half of it at most is used.
  // Entries outlive their group, so that closing one is a step of a number and the next finds
  // its memory there: a line of commands over the same buffers allocates nothing.
  std::vector<Touched> touched_;
  std::size_t used_ = 0;
  std::uint64_t group_ = 1;
  bool exclusive_ = false;  // a host call is in the group
  std::size_t in_group_ = 0, barriers_ = 0, avoided_ = 0;
  std::vector<std::size_t> sizes_;
};

}  // namespace reel
