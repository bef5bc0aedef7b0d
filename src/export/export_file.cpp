#include "export/export_file.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/fail.hpp"

namespace reel {
namespace {

constexpr std::size_t buffer_bytes = 1u << 20;

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail_as_existing(const std::string& path) {
  fail(Code::io_failed, "'{}' exists already, and overwriting it was not asked for.", path);
}

}  // namespace

PendingPath::PendingPath(std::string path, bool overwrite)
    : path_(std::move(path)), overwrite_(overwrite) {
  if (path_.empty()) fail(Code::io_failed, "The export has no name to be written under.");
  if (path_ == "/dev/stdout") return;
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(Code::io_failed, "'{}' is a folder, not a file.", path_);
    if (!S_ISREG(status.st_mode)) return;
    if (!overwrite_) fail_as_existing(path_);
  }
  temporary_ = fmt::format("{}.{}.part", path_, ::getpid());
  ::unlink(temporary_.c_str());  // of one that ended by a signal, long ago
}

PendingPath::~PendingPath() {
  if (!is_direct() && !is_kept_) ::unlink(temporary_.c_str());
}

void PendingPath::keep() {
  is_kept_ = true;
  if (is_direct()) return;
  // Somebody may have made a file of this name meanwhile. Not every file system can tell.
  const unsigned flags = overwrite_ ? 0 : RENAME_NOREPLACE;
  int result = ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), flags);
  if (result != 0 && (errno == EINVAL || errno == ENOSYS))
    result = ::rename(temporary_.c_str(), path_.c_str());
  if (result == 0) return;
  is_kept_ = false;
  if (errno == EEXIST) fail_as_existing(path_);
  fail(Code::io_failed, "Can't rename '{}' to '{}': {}.", temporary_, path_, reason(errno));
}

struct ExportFile::Gzip {
  z_stream stream{};
  std::array<unsigned char, 1u << 16> out;

  Gzip() {
    // 15 + 16: a header as of gzip, without a name or time, so that equal contents give equal
    // files. Level 4 packs our texts twice as fast as 6, into a tenth more.
    if (deflateInit2(&stream, 4, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
      fail(Code::out_of_memory, "There is no memory to compress an export.");
  }
  ~Gzip() { deflateEnd(&stream); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  template <class Write>
  void pack(std::string_view bytes, int flush, const Write& write) {
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<unsigned>(bytes.size());
    do {
      stream.next_out = out.data();
      stream.avail_out = static_cast<unsigned>(out.size());
      deflate(&stream, flush);
      write(std::string_view(reinterpret_cast<const char*>(out.data()),
                             out.size() - stream.avail_out));
    } while (stream.avail_out == 0);
  }
};

ExportFile::ExportFile(const std::string& path, bool overwrite, Packing packing)
    : path_(path, overwrite) {
  if (path == "/dev/stdout")
    descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  else if (path_.is_direct())
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  else
    descriptor_ = ::open(path_.now().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(Code::io_failed, "Can't create '{}': {}.", path, reason(errno));
  buffer_.reserve(buffer_bytes);
  if (packing == Packing::gzip) gzip_ = std::make_unique<Gzip>();
}

ExportFile::~ExportFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ExportFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_bytes) flush();
  buffer_ += bytes;
}

void ExportFile::flush() {
  if (gzip_)
    gzip_->pack(buffer_, Z_NO_FLUSH, [this](std::string_view packed) { write_out(packed); });
  else
    write_out(buffer_);
  buffer_.clear();
}

void ExportFile::write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      fail(Code::io_failed, "Can't write {} bytes to '{}' (it has {}): {}.", bytes.size(),
           path_.path(), size_bytes_, reason(count < 0 ? errno : EIO));
    size_bytes_ += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::uint64_t ExportFile::keep() {
  flush();
  if (gzip_) gzip_->pack({}, Z_FINISH, [this](std::string_view packed) { write_out(packed); });
  // A disk that is full, or far away, may tell only now.
  if (::close(std::exchange(descriptor_, -1)) != 0)
    fail(Code::io_failed, "Can't write '{}': {}.", path_.path(), reason(errno));
  path_.keep();
  return size_bytes_;
}

}  // namespace reel
