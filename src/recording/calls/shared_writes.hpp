// shared_writes.hpp - commands under way that write memory which the host sees as well.
//
// Once such a command is done, what is there is known, and whatever changes later is the host's.
// A program learns in many ways that a command is done: by waiting for it, for one that comes after
// it, by asking, or by being called back. So whenever it learns anything the driver is asked about
// all of them, before the program goes on. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "recording/calls/tracked.hpp"
#include "recording/order/queue_log.hpp"

namespace reel::capture {

class SharedWrites {
 public:
  // A command that the driver is about to be given writes it.
  void begin(TrackedBuffer& buffer, const Point& command) {
    begin(buffer, 0, ~std::uint64_t{0}, command);
  }
  // The same of a part of it.
  void begin(TrackedBuffer& buffer, std::uint64_t first, std::uint64_t end, const Point& command);
  bool are_any() const noexcept { return count_.load(std::memory_order_acquire) != 0; }
  // The driver has the commands `first` to `last`; empty: it gives nothing to ask for. Those before
  // them on the stream are done when they are, if `in_order`.
  void given(std::uint32_t first, std::uint32_t last, const Completion& event, bool in_order);
  // It did not take them.
  void refused(std::uint32_t first, std::uint32_t last);

  bool are_under_way(const TrackedBuffer& buffer);
  bool are_under_way(const TrackedBuffer& buffer, std::uint64_t first, std::uint64_t end);
  // Ranges whose writers were under way, and are done now: nothing under way writes them.
  // is_done(Point) of those that can't be asked for.
  struct Done {
    std::shared_ptr<TrackedBuffer> buffer;
    std::uint64_t first, end;
    std::uint32_t command;  // the last of those that are done with it
    bool is_whole() const noexcept { return end == ~std::uint64_t{0}; }
  };
  template <class F>
  std::vector<Done> take_done(F&& is_done) {
    std::vector<Done> done;
    if (!are_any()) return done;
    Writes taken;
    const std::lock_guard lock(mutex_);
    // One answer for all that were given together: the device gets on while it is asked.
    std::vector<std::pair<void*, bool>> answers;
    const auto is_event_done = [&](const Completion& event) {
      for (const auto& [asked, answer] : answers)
        if (asked == event.get()) return answer;
      answers.emplace_back(event.get(), event.is_done());
      return answers.back().second;
    };
    take(taken, [&](const Write& write) {
      // What stands behind commands that were given together may be done a moment later than what
      // the program waited for.
      if (write.end != ~std::uint64_t{0} && is_done(write.command)) return true;
      return write.event ? is_event_done(write.event) : is_done(write.command);
    });
    add_done(taken, done);
    return done;
  }
  void forget(const TrackedBuffer& buffer);

 private:
  struct Write {
    std::shared_ptr<TrackedBuffer> buffer;
    std::uint64_t first, end;
    Point command;
    Completion event;  // empty: not given yet, or by a driver that gives none
    // It, or what came later, wrote a part of the same, and is done already.
    std::uint32_t last;
  };
  using Writes = std::vector<Write>;

  static bool has(const Writes& writes, const TrackedBuffer& buffer, std::uint64_t first = 0,
                  std::uint64_t end = ~std::uint64_t{0});
  // What of `taken` nothing under way writes; with the lock.
  void add_done(const Writes& taken, std::vector<Done>& done);
  // Those of which which(Write) is true; with the lock. `taken` is to be destroyed once the lock is
  // gone: a driver may call the program when an event is given back, and that us.
  template <class F>
  void take(Writes& taken, F&& which) {
    const auto first = std::stable_partition(writes_.begin(), writes_.end(),
                                             [&](const Write& write) { return !which(write); });
    taken.assign(std::move_iterator(first), std::move_iterator(writes_.end()));
    writes_.erase(first, writes_.end());
    count_.store(writes_.size(), std::memory_order_release);
  }

  std::mutex mutex_;
  Writes writes_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace reel::capture
