#include "document/files/input_file.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/fail.hpp"
#include "document/files/open_file.hpp"

namespace reel {

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  const OpenFile file(path_);
  void* address = ::mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (address == MAP_FAILED)
    fail(Code::io_failed, "Can't map '{}': {}.", path_.string(),
         std::generic_category().message(errno));
  bytes_ = {static_cast<const std::byte*>(address), file.size()};
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

InputFile::~InputFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace reel
