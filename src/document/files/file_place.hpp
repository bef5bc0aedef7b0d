// file_place.hpp - the two names of a file that appears when it is whole.
//
// It is written under now(), a name beside its own that nobody else has, and put() makes it appear;
// without put() nothing is left. OutputFile with `whole` does this by itself; here it is for those
// who open the file in other ways.
#pragma once

#include <filesystem>

namespace reel {

class FilePlace {
 public:
  // Throws io_failed where there is something at `path`, and it may not be replaced, or is no file.
  // Of a link, what it leads to is replaced.
  FilePlace(std::filesystem::path path, bool overwrite);
  ~FilePlace();
  FilePlace(const FilePlace&) = delete;
  FilePlace& operator=(const FilePlace&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }  // as asked for
  const std::filesystem::path& target() const noexcept { return target_; }
  const std::filesystem::path& now() const noexcept { return now_; }
  // Throws io_failed where that can't be done: somebody made a file of this name meanwhile.
  void put();
  // Not put, and not taken away: it stays as now().
  void leave() noexcept { is_left_ = true; }

 private:
  std::filesystem::path path_, target_, now_;
  bool overwrite_, is_left_ = false;
};

// The program may change its folder before the file is put in place.
std::filesystem::path in_full(const std::filesystem::path& path);

// So that the name survives the end of the machine. What can't be synced is not worth an error.
void sync_folder_of(const std::filesystem::path& path) noexcept;

[[noreturn]] void fail_as_existing(const std::filesystem::path& path);

}  // namespace reel
