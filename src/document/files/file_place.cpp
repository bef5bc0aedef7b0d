#include "document/files/file_place.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <random>
#include <system_error>
#include <utility>

#include "base/fail.hpp"
#include "base/os/descriptors.hpp"
#include "document/files/file_words.hpp"

namespace reel {
namespace {

bool is_taken(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

// The file itself, or the one that a link leads to.
std::filesystem::path file_to_replace(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    fail(Code::io_failed, "Can't overwrite '{}': {}.", path.string(), reason(errno));
  if (!S_ISREG(status.st_mode))
    fail(Code::io_failed, "Can't overwrite '{}': it is {}, and only a file can be replaced.",
         path.string(), kind_of(status.st_mode));
  const std::unique_ptr<char, decltype(&::free)> real{::realpath(path.c_str(), nullptr), ::free};
  return real ? std::filesystem::path(real.get()) : path;
}

// "x.reel.4711-1a2b3c4d5e6f7a8b.part".
std::filesystem::path name_beside(const std::filesystem::path& path) {
  constexpr std::size_t most_bytes = 200;  // of 255 that a name may have
  const std::string name = path.filename().string().substr(0, most_bytes);
  std::random_device random;
  return path.parent_path() / fmt::format("{}.{}-{:08x}{:08x}.part", name, ::getpid(),
                                          static_cast<unsigned>(random()),
                                          static_cast<unsigned>(random()));
}

}  // namespace

void fail_as_existing(const std::filesystem::path& path) {
  fail(Code::io_failed, "'{}' exists already, and overwriting it was not asked for.",
       path.string());
}

std::filesystem::path in_full(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path result = std::filesystem::absolute(path, error);
  return error ? path : result;
}

void sync_folder_of(const std::filesystem::path& path) noexcept {
  // Without memory, of which there may be none: the file is in place already.
  std::size_t folder_bytes = path.native().rfind('/');
  char folder[4096] = ".";
  if (folder_bytes != std::string::npos) {
    if (folder_bytes == 0) folder_bytes = 1;
    if (folder_bytes >= sizeof folder) return;
    path.native().copy(folder, folder_bytes);
    folder[folder_bytes] = 0;
  }
  const int descriptor = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

FilePlace::FilePlace(std::filesystem::path path, bool overwrite)
    : path_(std::move(path)), target_(in_full(path_)), overwrite_(overwrite) {
  if (is_taken(path_)) {
    if (!overwrite_) fail_as_existing(path_);
    target_ = file_to_replace(path_);
  }
  now_ = name_beside(target_);
}

FilePlace::~FilePlace() {
  if (!is_left_) ::unlink(now_.c_str());
}

void FilePlace::put() {
  // Somebody may have made a file of this name meanwhile. Not every file system can tell.
  int result = overwrite_ ? ::rename(now_.c_str(), target_.c_str())
                          : os::rename_to_free_name(now_.c_str(), target_.c_str());
  if (!overwrite_ && result != 0 && errno == ENOTSUP)
    result = ::rename(now_.c_str(), target_.c_str());
  if (result != 0) {
    if (errno == EEXIST) fail_as_existing(path_);
    const std::string why = reason(errno);
    if (is_left_)
      fail(Code::io_failed, "Can't replace '{}': {}. The new one is '{}'.", path_.string(), why,
           now_.string());
    fail(Code::io_failed, "Can't put a file in place as '{}': {}.", path_.string(), why);
  }
  is_left_ = true;
  sync_folder_of(target_);
}

}  // namespace reel
