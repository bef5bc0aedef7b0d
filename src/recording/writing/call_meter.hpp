// call_meter.hpp - what a call of the program takes beside the driver, of a few calls in place of
// all.
//
// The clock is asked for one call in eight, which counts for eight: four times for every one would
// be a good part of what is to be measured. Which ones is left to chance: a program's loop, or
// things that are done for every 16th command, must not always fall between, nor always into, what
// is measured. What has a row of its own in the document is not counted again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"
#include "recording/writing/document_thread.hpp"

namespace reel::capture {

class CallMeter {
 public:
  void begin() noexcept {
    constinit thread_local std::uint32_t chance = 1;
    chance = chance * 1'664'525u + 1'013'904'223u;
    if (chance >> 29 != 0) return;
    counts_for_ = every;
    start();
  }
  // For what is seldom called and may take long.
  void begin_surely() noexcept {
    counts_for_ = 1;
    start();
  }
  void driver_begins() noexcept {
    if (begin_ns_) driver_begin_ns_ = monotonic_ns();
  }
  void driver_ends() noexcept {
    if (!begin_ns_) return;
    driver_ns_ += monotonic_ns() - driver_begin_ns_;
    ++driver_calls_;
  }
  // The time of as many calls as this one counts for; 0: it was not measured.
  std::uint64_t end() noexcept {
    if (!begin_ns_) return 0;
    const std::uint64_t all_ns = monotonic_ns() - begin_ns_;
    const std::uint64_t told_ns = DocumentThread::told_ns() - told_ns_;
    begin_ns_ = 0;
    // Asking for the time is in what was measured: once, and once more for each call of the driver.
    const std::uint64_t not_own_ns = driver_ns_ + told_ns + (1 + driver_calls_) * clock_ns();
    const std::uint64_t own_ns = all_ns - std::min(all_ns, not_own_ns);
    const std::uint64_t asking_ns = 2 * (1 + driver_calls_) * clock_ns();
    return (own_ns < long_ns ? own_ns * counts_for_ : own_ns) + asking_ns;
  }

 private:
  static constexpr std::uint32_t every = 8;
  // The thread was taken off its processor, or something rare was done: it counts for itself.
  static constexpr std::uint64_t long_ns = 50'000;

  void start() noexcept {
    told_ns_ = DocumentThread::told_ns();
    begin_ns_ = monotonic_ns();
  }
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

  std::uint64_t begin_ns_ = 0, driver_begin_ns_ = 0, driver_ns_ = 0, told_ns_ = 0;
  std::uint32_t counts_for_ = 0, driver_calls_ = 0;
};

}  // namespace reel::capture
