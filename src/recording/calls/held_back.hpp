// held_back.hpp - whether work that was given gets done without the program.
//
// An event that the program sets itself, and a function of it in a queue, can hold back whatever
// was given after them until the program does something. Nobody of ours may make the program wait
// for such work: it may be the program that has to let it go on. Process-wide, any thread.
#pragma once

#include <cstdint>

namespace reel::capture::held_back {

// A user event was made; returns its number. set() when the program set it, after the driver did.
std::uint64_t made() noexcept;
void set(std::uint64_t user_event) noexcept;
// A function of the program was given. What such a function waits for nobody knows.
void native_given() noexcept;

// A moment: to be taken when work is given.
std::uint64_t now() noexcept;
// Work given at `moment`, and all before it, gets done whatever the program does.
bool is_free(std::uint64_t moment) noexcept;
// A user event is not set: some of what was given may wait for it.
bool is_any_event_unset() noexcept;

}  // namespace reel::capture::held_back
