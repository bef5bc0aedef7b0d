#include "document/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/fail.hpp"

namespace reel {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

// A regular file is unlinked, not emptied: a reader may have it mapped, and would die of the loss.
// Anything else (a device, a link) stays and is written to.
void make_room(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) ::unlink(path.c_str());
}

int open_new(const std::filesystem::path& path, bool overwrite) {
  if (overwrite) make_room(path);
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL);
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), flags, 0666);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor >= 0) return descriptor;
  if (errno == EEXIST)
    fail(Code::io_failed, "'{}' exists already, and overwriting it was not asked for.",
         path.string());
  fail(Code::io_failed, "Can't create '{}': {}.", path.string(), reason(errno));
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path, const OutputFileOptions& options)
    : path_(std::move(path)),
      limit_bytes_(options.limit_bytes),
      descriptor_(open_new(path_, options.overwrite)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      limit_bytes_(other.limit_bytes_),
      size_bytes_(other.size_bytes_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::write_parts(std::initializer_list<std::span<const std::byte>> parts) {
  std::uint64_t wanted = 0, written = 0;
  for (const auto part : parts) wanted += part.size();
  for (auto part : parts)
    while (!part.empty()) {
      const std::int64_t count = write_some(part, size_bytes_ + written);
      if (count < 0) undo_and_fail(wanted, static_cast<int>(-count));
      part = part.subspan(static_cast<std::size_t>(count));
      written += static_cast<std::uint64_t>(count);
    }
  size_bytes_ += written;
}

std::int64_t OutputFile::write_some(std::span<const std::byte> bytes, std::uint64_t offset) const {
  const std::uint64_t room = limit_bytes_ - std::min(limit_bytes_, offset);
  if (room == 0) return -ENOSPC;
  for (;;) {
    const ssize_t count =
        ::write(descriptor_, bytes.data(), std::min<std::uint64_t>(bytes.size(), room));
    if (count > 0) return count;
    if (count == 0) return -EIO;
    if (errno != EINTR) return -errno;
  }
}

void OutputFile::undo_and_fail(std::uint64_t wanted_bytes, int error) {
  // Where this can't be done (a pipe), readers find the half written record by its length.
  if (::ftruncate(descriptor_, static_cast<off_t>(size_bytes_)) == 0)
    ::lseek(descriptor_, static_cast<off_t>(size_bytes_), SEEK_SET);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    fail(Code::io_failed, "No room for {} more bytes in '{}' (it has {}): {}.", wanted_bytes,
         path_.string(), size_bytes_, reason(error));
  fail(Code::io_failed, "Can't write {} bytes to '{}': {}.", wanted_bytes, path_.string(),
       reason(error));
}

void OutputFile::sync() {
  // EINVAL, EROFS: a pipe or a device, which has nothing to sync.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS)
    fail(Code::io_failed, "Can't sync '{}' to its disk: {}.", path_.string(), reason(errno));
}

}  // namespace reel
