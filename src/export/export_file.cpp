#include "export/export_file.hpp"

#include <fcntl.h>
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

int open_stream(const std::string& path) {
  const int descriptor = path == "/dev/stdout" ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                               : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(Code::io_failed, "Can't write to '{}': {}.", path, reason(errno));
  return descriptor;
}

}  // namespace

bool is_stream(const std::string& path) {
  if (path == "/dev/stdout") return true;
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
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

ExportFile::ExportFile(const Trace& trace, const std::string& path, const ExportOptions& how,
                       Packing packing)
    : ExportFile(mode_of(trace.path()), path, how, packing) {}

ExportFile::ExportFile(unsigned mode, const std::string& path, const ExportOptions& how,
                       Packing packing)
    : path_(path) {
  if (path_.empty()) fail(Code::io_failed, "The export has no name to be written under.");
  buffer_.reserve(buffer_bytes);
  if (packing == Packing::gzip) gzip_ = std::make_unique<Gzip>();
  if (is_stream(path_))
    descriptor_ = open_stream(path_);
  else
    file_ = std::make_unique<OutputFile>(
        path_, OutputFileOptions{.overwrite = how.overwrite, .whole = true, .mode = mode});
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
  if (file_) {
    file_->write(std::as_bytes(std::span(bytes)));
    size_bytes_ = file_->size_bytes();
    return;
  }
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      fail(Code::io_failed, "Can't write {} bytes to '{}' (it has {}): {}.", bytes.size(), path_,
           size_bytes_, reason(count < 0 ? errno : EIO));
    size_bytes_ += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::uint64_t ExportFile::keep() {
  flush();
  if (gzip_) gzip_->pack({}, Z_FINISH, [this](std::string_view packed) { write_out(packed); });
  if (file_)
    file_->close();
  else if (::close(std::exchange(descriptor_, -1)) != 0)
    fail(Code::io_failed, "Can't write to '{}': {}.", path_, reason(errno));
  return size_bytes_;
}

}  // namespace reel
