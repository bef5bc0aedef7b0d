#include "document/files/open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/fail.hpp"
#include "document/files/file_words.hpp"

namespace reel {
namespace {

[[noreturn]] void fail_to_read(const std::filesystem::path& path, int error) {
  fail(Code::io_failed, "Can't read '{}': {}.", path.string(), reason(error));
}

}  // namespace

OpenFile::OpenFile(std::filesystem::path path)
    : path_(std::move(path)),
      // Without O_NONBLOCK, opening a pipe waits for somebody who writes to it.
      descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (descriptor_ < 0) fail_to_read(path_, errno);
  struct stat status {};
  const bool is_known = ::fstat(descriptor_, &status) == 0;
  const int error = errno;
  if (is_known && S_ISREG(status.st_mode) && status.st_size > 0) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  ::close(descriptor_);  // there is no destructor yet
  if (!is_known) fail_to_read(path_, error);
  if (!S_ISREG(status.st_mode))
    fail(Code::io_failed, "'{}' is {}; a regular file is wanted.{}", path_.string(),
         kind_of(status.st_mode),
         S_ISDIR(status.st_mode) ? "" : " Copy what it gives into a file, and open that.");
  fail(Code::damaged_document, "'{}' is empty, so it is no .reel file.", path_.string());
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(std::exchange(other.size_, 0)) {}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t OpenFile::read(std::uint64_t offset, std::span<std::byte> to) const {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t count =
        ::pread(descriptor_, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read(path_, errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace reel
