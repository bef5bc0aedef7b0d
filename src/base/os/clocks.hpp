// clocks.hpp - which of the system's clocks is the steady one.
#pragma once

#include <time.h>

namespace reel::os {

// The one that std::chrono::steady_clock is, too; and one of some milliseconds, which is read
// sooner.
#if defined(REEL_MACOS)
constexpr clockid_t steady_clock = CLOCK_MONOTONIC_RAW;  // CLOCK_MONOTONIC has microseconds there
constexpr clockid_t coarse_clock = CLOCK_MONOTONIC_RAW;
#else
constexpr clockid_t steady_clock = CLOCK_MONOTONIC;
constexpr clockid_t coarse_clock = CLOCK_MONOTONIC_COARSE;
#endif

}  // namespace reel::os
