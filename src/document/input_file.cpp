#include "document/input_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/fail.hpp"

namespace reel {
namespace {

[[noreturn]] void fail_to_read(const std::filesystem::path& path, int error) {
  fail(Code::io_failed, "Can't read '{}': {}.", path.string(),
       std::generic_category().message(error));
}

struct Descriptor {
  int number;
  explicit Descriptor(const std::filesystem::path& path)
      : number(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number < 0) fail_to_read(path, errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(number); }
};

std::vector<std::byte> read_all(int descriptor, const std::filesystem::path& path) {
  std::vector<std::byte> bytes;
  std::size_t size = 0;
  for (;;) {
    if (size == bytes.size()) bytes.resize(size + size / 2 + (std::size_t{1} << 16));
    const ssize_t count = ::read(descriptor, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read(path, errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  const Descriptor file(path_);
  struct stat status {};
  if (::fstat(file.number, &status) != 0) fail_to_read(path_, errno);
  if (S_ISDIR(status.st_mode))
    fail(Code::io_failed, "'{}' is a folder; a file is wanted.", path_.string());

  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (address != MAP_FAILED) {
      bytes_ = {static_cast<const std::byte*>(address), size};
      return;
    }
  }
  copy_ = read_all(file.number, path_);  // also files of /proc, which say that they have 0 bytes
  bytes_ = copy_;
  if (bytes_.empty()) fail(Code::io_failed, "'{}' is empty.", path_.string());
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      copy_(std::move(other.copy_)),
      bytes_(std::exchange(other.bytes_, {})) {}

InputFile::~InputFile() {
  if (copy_.empty() && !bytes_.empty())
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace reel
