// own_descriptors.hpp - a thread with a table of descriptors of its own.
//
// What such a thread opens has no number in the program: nothing that the program closes,
// duplicates or inherits can hit it, and /proc/self/fd doesn't list it. Neither does the thread
// hold anything of the program's open: a pipe ends when the program closes it. Descriptors 0 to 2
// are gone, too, so such a thread says nothing on standard error.
#pragma once

namespace reel {

// False where the system doesn't let us (before Linux 5.9, or a filter of system calls): the thread
// then shares the table as before.
bool take_own_descriptors() noexcept;

}  // namespace reel
