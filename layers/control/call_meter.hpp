// call_meter.hpp - what a hook takes beside the driver, of a few commands in place of all.
//
// The clock is asked for each seventh command of a thread, which counts for seven: twice for every
// one would be a good part of what is to be measured. Seven, because things that are done for every
// 16th command must not always fall between, nor always into, what is measured. What has a row of
// its own in the document is not counted again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"
#include "recording/writing/document_thread.hpp"

namespace reel::layer {

class CallMeter {
 public:
  void begin() noexcept {
    thread_local std::uint32_t turn = 0;
    if (++turn % every != 0) return;
    told_ns_ = capture::DocumentThread::told_ns();
    begin_ns_ = monotonic_ns();
  }
  void driver_begins() noexcept {
    if (begin_ns_) driver_ns_ = monotonic_ns();
  }
  void driver_ends() noexcept {
    if (begin_ns_) driver_ns_ = monotonic_ns() - driver_ns_;
  }
  // The time of as many commands as this one counts for; 0: it was not measured.
  std::uint64_t end() noexcept {
    if (!begin_ns_) return 0;
    const std::uint64_t told_ns = capture::DocumentThread::told_ns() - told_ns_;
    const std::uint64_t all_ns = monotonic_ns() - begin_ns_;
    begin_ns_ = 0;
    const std::uint64_t not_own_ns = driver_ns_ + told_ns + 2 * clock_ns();
    if (all_ns <= not_own_ns) return 0;
    const std::uint64_t own_ns = all_ns - not_own_ns;
    return own_ns < long_ns ? own_ns * every : own_ns;
  }

 private:
  static constexpr std::uint32_t every = 7;
  // The thread was taken off its processor, or something rare was done: it counts for itself.
  static constexpr std::uint64_t long_ns = 50'000;

  // What asking for the time takes, which only a measured command does: twice beside the driver.
  static std::uint64_t clock_ns() noexcept {
    static const std::uint64_t shortest = [] {
      std::uint64_t least = ~std::uint64_t{0};
      for (int i = 0; i < 16; ++i) {
        const std::uint64_t begin = monotonic_ns();
        least = std::min(least, monotonic_ns() - begin);
      }
      return least;
    }();
    return shortest;
  }

  std::uint64_t begin_ns_ = 0, driver_ns_ = 0, told_ns_ = 0;
};

}  // namespace reel::layer
