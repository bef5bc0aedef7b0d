// capture_file.hpp - a place for a document that is gone afterwards.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace bench {

class CaptureFile {
 public:
  CaptureFile()
      : path_(
            (std::filesystem::temp_directory_path() /
             ("reel-bench-" + std::to_string(::getpid()) + "-" + std::to_string(next_++) + ".reel"))
                .string()) {}
  ~CaptureFile() { remove(); }
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  void remove() const noexcept {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

 private:
  static inline int next_ = 0;
  std::string path_;
};

}  // namespace bench
