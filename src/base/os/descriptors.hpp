// descriptors.hpp - descriptors that no started program inherits, and names of files.
//
// Whoever gets a descriptor closes it. Failures are -1 (or false) with errno, as the system has it.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace reel::os {

bool make_pipe(std::array<int, 2>& ends) noexcept;  // read from the first

enum class Waiting { yes, no };  // whether its calls wait
int open_socket(int family, int type, Waiting waiting) noexcept;
int accept_connection(int listener) noexcept;
// send() that raises no SIGPIPE, of sockets from above.
ssize_t send_quietly(int socket, const void* bytes, std::size_t size_bytes, int flags) noexcept;

// A file for bytes that only this process reads, by its path.
struct ScratchFile {
  int descriptor = -1;
  std::string path;
  bool is_in_folder = false;  // whoever closes it removes it
};
ScratchFile make_scratch_file(const char* name);

// Begins to bring bytes of a file to its disk, and doesn't wait. A promise of nothing.
void begin_writing_back(int descriptor, std::uint64_t offset, std::uint64_t size_bytes) noexcept;
// Waits until all that was written is on the disk; that of sizes and names may not be. 0, or -1,
// with ENOTSUP where only fsync() does it.
int wait_for_written(int descriptor) noexcept;

// 0, or -1 with EEXIST where `to` is there already, ENOTSUP where the file system can't tell.
int rename_to_free_name(const char* from, const char* to) noexcept;

}  // namespace reel::os
