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
#include <vector>

#include "recording/calls/tracked.hpp"
#include "recording/order/queue_log.hpp"

namespace reel::capture {

class SharedWrites {
 public:
  // A command that the driver is about to be given writes it.
  void begin(TrackedBuffer& buffer, const Point& command);
  bool are_any() const noexcept { return count_.load(std::memory_order_acquire) != 0; }
  // The driver has the commands `first` to `last`; empty: it gives nothing to ask for. Those before
  // them on the stream are done when they are, if `in_order`.
  void given(std::uint32_t first, std::uint32_t last, const Completion& event, bool in_order);
  // It did not take them.
  void refused(std::uint32_t first, std::uint32_t last);

  bool are_under_way(const TrackedBuffer& buffer);
  // Memory whose writers were under way, and are done now. is_done(Point) of those that can't be
  // asked for.
  template <class F>
  std::vector<std::shared_ptr<TrackedBuffer>> take_done(F&& is_done) {
    if (!are_any()) return {};
    Writes taken;
    const std::lock_guard lock(mutex_);
    take(taken, [&](const Write& write) {
      return write.event ? write.event.is_done() : is_done(write.command);
    });
    std::vector<std::shared_ptr<TrackedBuffer>> done;
    for (const Write& write : taken)
      if (!has(writes_, *write.buffer) &&
          std::find(done.begin(), done.end(), write.buffer) == done.end())
        done.push_back(write.buffer);
    return done;
  }
  void forget(const TrackedBuffer& buffer);

 private:
  struct Write {
    std::shared_ptr<TrackedBuffer> buffer;
    Point command;
    Completion event;  // empty: not given yet, or by a driver that gives none
  };
  using Writes = std::vector<Write>;

  static bool has(const Writes& writes, const TrackedBuffer& buffer);
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
