// export_file.hpp - a file that appears when it is whole.
//
// It is written under another name in the same folder, which keep() changes to its own; without
// keep() nothing is left. What is no file, as /dev/stdout, is written to as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace reel {

// The two names of a file on its way. For those who open it themselves.
class PendingPath {
 public:
  // Throws io_failed where there is something at `path`, and it may not be overwritten.
  PendingPath(std::string path, bool overwrite);
  ~PendingPath();
  PendingPath(const PendingPath&) = delete;
  PendingPath& operator=(const PendingPath&) = delete;

  bool is_direct() const noexcept { return temporary_.empty(); }
  const std::string& path() const noexcept { return path_; }
  const std::string& now() const noexcept { return is_direct() ? path_ : temporary_; }
  void keep();

 private:
  std::string path_, temporary_;
  bool overwrite_, is_kept_ = false;
};

class ExportFile {
 public:
  enum class Packing : std::uint8_t { none, gzip };

  // All of these throw io_failed, which names the file and says what the system said.
  ExportFile(const std::string& path, bool overwrite, Packing packing = Packing::none);
  ~ExportFile();

  void write(std::string_view bytes);
  // Everything is written, and the file has its name. The bytes it has.
  std::uint64_t keep();

 private:
  struct Gzip;
  void flush();
  void write_out(std::string_view bytes);

  PendingPath path_;
  int descriptor_ = -1;
  std::uint64_t size_bytes_ = 0;
  std::string buffer_;
  std::unique_ptr<Gzip> gzip_;
};

}  // namespace reel
