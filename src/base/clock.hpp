// clock.hpp - the host's clock and the thread that asks, as documents name them.
#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

namespace reel {

// CLOCK_MONOTONIC, which std::chrono::steady_clock is here too.
inline std::uint64_t monotonic_ns() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// CPU time of the calling thread. A call of the system: half a microsecond.
inline std::uint64_t thread_cpu_ns() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// The system's number of the calling thread; asked for once a thread.
inline std::uint32_t thread_number() noexcept {
  constinit thread_local std::uint32_t number = 0;
  if (number == 0) [[unlikely]]
    number = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  return number;
}

}  // namespace reel
