// process.hpp - what the system knows of a process, this one or another. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace reel::os {

// The file that runs, with all links followed. Empty where nobody knows.
std::string program_path();
// The same as something to start: it works after the file was replaced, where the system can.
std::string program_to_start();
std::string program_name();                    // without its folder
std::vector<std::string> program_arguments();  // its name first
char** environment() noexcept;                 // of this process, for those it starts

// Null where it is unset, and for a process with rights that its caller doesn't have.
const char* trusted_variable(const char* name) noexcept;

// `signal` ends this process when `parent`, which started it, ends; at once where it has already.
// To be called in the new process. macOS forgets it at exec().
void end_with_parent(pid_t parent, int signal) noexcept;

// Bytes that are the process's own, in memory or swapped out; pages of files, which the system can
// drop, don't count. 0: nobody knows, or it is gone.
std::uint64_t memory_of(pid_t process);

}  // namespace reel::os
