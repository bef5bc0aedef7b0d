// machine.hpp - the machine and what runs on it, in the words of the system. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace reel::os {

std::string cpu_name();  // "CPU" where the system doesn't tell
std::uint64_t memory_bytes();
// What this process may have of it: less in a container.
std::uint64_t usable_memory_bytes();

std::string boot_id();  // another after each start of the machine; empty: unknown
// Of Docker, Podman or Kubernetes, shortened to 12 digits; empty outside of them.
std::string container_id();

// How far the steady clock of this process is from the host's: a time namespace may have its own.
std::int64_t clock_offset_ns();
// How long the machine was suspended since it started, where the steady clock doesn't count that.
std::int64_t slept_ns() noexcept;

// Large pages for this memory, where the system has them and agrees.
void ask_for_huge_pages(void* memory, std::size_t size_bytes) noexcept;

// What opens a file with the program that the user chose for it.
const char* file_opener() noexcept;
bool has_display();

}  // namespace reel::os
