#include "document/files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/fail.hpp"
#include "base/os/descriptors.hpp"
#include "base/process/descriptor_number.hpp"
#include "document/files/file_words.hpp"

namespace reel {

namespace {
// Small files come and go without the disk.
constexpr std::uint64_t sent_at_once_bytes = std::uint64_t{2} << 20;
}  // namespace

unsigned mode_of(const std::filesystem::path& path) noexcept {
  struct stat status {};
  const bool is_file = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? (status.st_mode & 0666) | 0600 : 0600;
}

OutputFile::OutputFile(std::filesystem::path path, const OutputFileOptions& options)
    : path_(std::move(path)), limit_bytes_(options.limit_bytes), is_whole_(options.whole) {
  open(options);
  // 0 to 2 are what a program prints to, also where it has closed them.
  descriptor_ = moved_to(descriptor_, options.out_of_the_way ? number_out_of_the_way() : 3);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    const int error = errno;
    ::close(std::exchange(descriptor_, -1));
    ::unlink(written_path_.c_str());
    fail(Code::io_failed, "Can't create '{}': {}.", path_.string(), reason(error));
  }
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

void OutputFile::open(const OutputFileOptions& options) {
  if (!is_whole_) {
    written_path_ = in_full(path_);
    if (open_now(options.mode)) return;
    if (!options.overwrite) fail_as_existing(path_);
  }
  place_ = std::make_unique<FilePlace>(path_, options.overwrite);
  written_path_ = place_->now();
  if (!open_now(options.mode))
    fail(Code::io_failed, "Can't create a file beside '{}': '{}' exists already.", path_.string(),
         written_path_.string());
  if (!is_whole_) place_->leave();
}

// All that takes memory was done before: what is made here is known.
bool OutputFile::open_now(unsigned mode) {
  do {
    descriptor_ = ::open(written_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0 && errno == EEXIST) return false;
  if (descriptor_ < 0)
    fail(Code::io_failed, "Can't create '{}': {}.", path_.string(), reason(errno));
  return true;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      written_path_(std::move(other.written_path_)),
      place_(std::move(other.place_)),
      limit_bytes_(other.limit_bytes_),
      is_whole_(other.is_whole_),
      size_bytes_(other.size_bytes_),
      sent_bytes_(other.sent_bytes_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      device_(other.device_),
      inode_(other.inode_) {}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_)
    ::close(descriptor_);
}

void OutputFile::check_is_ours() {
  if (descriptor_ < 0)
    fail(Code::io_failed, "'{}' is closed; nothing more can be written to it.", path_.string());
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || status.st_dev != device_ || status.st_ino != inode_) {
    descriptor_ = -1;  // somebody else's, if anybody's
    fail(Code::io_failed,
         "The program closed the descriptor that '{}' was written through; it has {} bytes.",
         written_path_.string(), size_bytes_);
  }
  if (status.st_nlink == 0)
    fail(Code::io_failed, "'{}' was deleted while it was written.", written_path_.string());
  if (static_cast<std::uint64_t>(status.st_size) != size_bytes_)
    fail(Code::io_failed,
         "'{}' was changed by something else while it was written: it has {} bytes, and {} were "
         "written to it.",
         written_path_.string(), status.st_size, size_bytes_);
}

bool OutputFile::is_gone() const noexcept {
  struct stat status {};
  if (::lstat(written_path_.c_str(), &status) != 0)
    return errno == ENOENT || errno == ENOTDIR;  // else: a folder that may not be looked into now
  return status.st_dev != device_ || status.st_ino != inode_;
}

void OutputFile::write_parts(std::initializer_list<std::span<const std::byte>> parts) {
  check_is_ours();
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
  if (size_bytes_ >= sent_bytes_ + sent_at_once_bytes) send_to_disk();
}

// Begins to, and doesn't wait. A promise of nothing, so that it may fail.
void OutputFile::send_to_disk() noexcept {
  os::begin_writing_back(descriptor_, sent_bytes_, size_bytes_ - sent_bytes_);
  sent_bytes_ = size_bytes_;
}

std::int64_t OutputFile::write_some(std::span<const std::byte> bytes, std::uint64_t offset) const {
  const std::uint64_t room = limit_bytes_ - std::min(limit_bytes_, offset);
  if (room == 0) return -ENOSPC;
  for (;;) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data(), std::min<std::uint64_t>(bytes.size(), room),
                 static_cast<off_t>(offset));
    if (count > 0) return count;
    if (count == 0) return -EIO;
    if (errno != EINTR) return -errno;
  }
}

void OutputFile::undo_and_fail(std::uint64_t wanted_bytes, int error) {
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_)
    static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(size_bytes_)) == 0);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    fail(Code::io_failed, "No room for {} more bytes in '{}' (it has {}): {}.", wanted_bytes,
         written_path_.string(), size_bytes_, reason(error));
  fail(Code::io_failed, "Can't write {} bytes to '{}': {}.", wanted_bytes, written_path_.string(),
       reason(error));
}

std::uint64_t OutputFile::take_size() {
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0) size_bytes_ = static_cast<std::uint64_t>(status.st_size);
  return size_bytes_;
}

void OutputFile::sync() {
  check_is_ours();
  // EINVAL, EROFS: a file system that has nothing to sync.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail_to_sync(errno);
}

void OutputFile::fail_to_sync(int error) const {
  fail(Code::io_failed, "Can't sync '{}' to its disk: {}.", written_path_.string(), reason(error));
}

void OutputFile::wait_for_disk() {
  check_is_ours();
  if (os::wait_for_written(descriptor_) == 0) return;
  // Bytes that didn't reach the disk are told of once: fsync() would not say it again.
  if (errno != ENOTSUP) fail_to_sync(errno);
  sync();
}

void OutputFile::close() {
  sync();
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR)
    fail(Code::io_failed, "Can't close '{}': {}.", written_path_.string(), reason(errno));
  if (is_gone())
    fail(Code::io_failed, "'{}' was moved or replaced while it was written.",
         written_path_.string());
  if (!place_) return sync_folder_of(written_path_);
  std::filesystem::path target = place_->target();
  place_->put();
  written_path_.swap(target);
}

void OutputFile::discard() noexcept {
  if (!is_gone()) ::unlink(written_path_.c_str());
}

}  // namespace reel
