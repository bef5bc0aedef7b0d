#include "weights/file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "reel/error.hpp"

namespace forward_pass {

FileBytes::FileBytes(std::string path) : name_(std::move(path)) {
  descriptor_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) refuse(fmt::format("it can't be opened: {}.", std::strerror(errno)));
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) {
    ::close(descriptor_);
    refuse("it is not a file.");
  }
  size_ = static_cast<std::uint64_t>(about.st_size);
}

FileBytes::FileBytes(std::string name, std::vector<std::byte> bytes)
    : name_(std::move(name)), bytes_(std::move(bytes)), size_(bytes_.size()) {}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : name_(std::move(other.name_)),
      bytes_(std::move(other.bytes_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

FileBytes::~FileBytes() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileBytes::read(std::uint64_t offset, std::span<std::byte> target) const {
  if (offset > size_ || target.size() > size_ - offset)
    refuse(fmt::format("{} bytes at {} are past its end; it has {} bytes.", target.size(), offset,
                       size_));
  if (descriptor_ < 0) {
    if (!target.empty()) std::memcpy(target.data(), bytes_.data() + offset, target.size());
    return;
  }
  while (!target.empty()) {
    const ssize_t count =
        ::pread(descriptor_, target.data(), target.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(fmt::format("it can't be read: {}.", std::strerror(errno)));
    if (count == 0) refuse("it became shorter while it was read.");
    target = target.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

void FileBytes::refuse(const std::string& sentence) const {
  throw reel::Error(reel::Code::invalid_argument, fmt::format("Weights '{}': {}", name_, sentence));
}

}  // namespace forward_pass
