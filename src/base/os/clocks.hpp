// clocks.hpp - which of the system's clocks is the steady one.
#pragma once

#include <time.h>

namespace reel::os {

// The one that std::chrono::steady_clock is, too.
#if defined(REEL_MACOS)
constexpr clockid_t steady_clock = CLOCK_MONOTONIC_RAW;  // CLOCK_MONOTONIC has microseconds there
#else
constexpr clockid_t steady_clock = CLOCK_MONOTONIC;
#endif

}  // namespace reel::os
