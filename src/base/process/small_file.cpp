#include "base/process/small_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace reel {

OwnText small_file(const std::string& path, std::size_t most_bytes) {
  const int saved_errno = errno;
  OwnText bytes;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    char part[4096];
    ssize_t count = 0;
    while (bytes.size() <= most_bytes && (count = ::read(file, part, sizeof part)) > 0)
      bytes.append(part, static_cast<std::size_t>(count));
    if (count < 0 || bytes.size() > most_bytes) bytes.clear();
  }
  if (file >= 0) ::close(file);
  errno = saved_errno;
  return bytes;
}

}  // namespace reel
