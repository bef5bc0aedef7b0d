// clock.hpp - the host's clock and the thread that asks, as documents name them.
#pragma once

#include <time.h>

#include <cstdint>

#include "base/os/clocks.hpp"
#include "base/os/thread.hpp"

namespace reel {

inline std::uint64_t clock_ns(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// CLOCK_MONOTONIC of Linux; the clock that std::chrono::steady_clock is, too.
inline std::uint64_t monotonic_ns() noexcept { return clock_ns(os::steady_clock); }

// CPU time of the calling thread. A call of the system: half a microsecond.
inline std::uint64_t thread_cpu_ns() noexcept { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

// The system's number of the calling thread; asked for once a thread.
inline std::uint32_t thread_number() noexcept {
  constinit thread_local std::uint32_t number = 0;
  if (number == 0) [[unlikely]]
    number = os::thread_number();
  return number;
}

}  // namespace reel
