// thread.hpp - what the system calls threads, and what it does to all of them.
#pragma once

#include <signal.h>

#include <cstdint>

namespace reel::os {

std::uint32_t thread_number() noexcept;  // of the calling thread; a call of the system
bool is_main_thread() noexcept;
void name_this_thread(const char* name) noexcept;  // up to 15 letters

// bar_every_thread() can be relied on. It costs 10 ms where there are several threads, once.
bool can_bar_every_thread() noexcept;
// Every thread of the process has passed a full barrier when this returns. False: it can't be had.
bool bar_every_thread() noexcept;

// Until one of these signals, which must be blocked, is there and taken, or so long at most; 0, or
// the signal.
int wait_for_signal(const sigset_t& signals, long at_most_ns) noexcept;

}  // namespace reel::os
