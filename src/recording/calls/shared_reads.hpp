// shared_reads.hpp - submissions under way that read memory which the host sees as well.
//
// Such memory is the device's until the host has learned that they are done. When it does, what it
// has changed there by then it changed too early. Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/range_set.hpp"
#include "recording/calls/tracked.hpp"
#include "recording/order/queue_log.hpp"

namespace reel::capture {

class SharedReads {
 public:
  struct Read {
    std::shared_ptr<TrackedBuffer> buffer;
    RangeSet ranges;
    std::uint32_t first;  // of the submission's commands
    Point last;
  };
  void begin(TrackedBuffer& buffer, RangeSet ranges, std::uint32_t first, const Point& last) {
    // Who never waits is not to be waited for: the oldest are forgotten.
    constexpr std::size_t most = 1024;
    const std::lock_guard lock(mutex_);
    reads_.push_back({std::static_pointer_cast<TrackedBuffer>(buffer.shared_from_this()),
                      std::move(ranges), first, last});
    if (reads_.size() > most) reads_.pop_front();
  }
  // The driver did not take them.
  void refused(std::uint32_t first) {
    const std::lock_guard lock(mutex_);
    std::erase_if(reads_, [&](const Read& read) { return read.first == first; });
  }
  // The host may have learned something that nobody can tell.
  void forget() noexcept {
    const std::lock_guard lock(mutex_);
    reads_.clear();
  }
  // Those that the host knows to be done, by is_done(Point).
  template <class F>
  std::vector<Read> take_done(F&& is_done) {
    std::vector<Read> done;
    const std::lock_guard lock(mutex_);
    std::erase_if(reads_, [&](Read& read) {
      if (!is_done(read.last)) return false;
      done.push_back(std::move(read));
      return true;
    });
    return done;
  }

 private:
  std::mutex mutex_;
  std::deque<Read> reads_;
};

}  // namespace reel::capture
