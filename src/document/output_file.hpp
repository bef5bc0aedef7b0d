// output_file.hpp - a file that only grows.
//
// Nothing is buffered: what write() took is with the system, and survives the end of this
// program; sync() makes it survive the end of the machine. A write that fails leaves the file as it
// was before it. Owns the descriptor. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <span>

namespace reel {

struct OutputFileOptions {
  // An existing file is replaced; who has the old one open keeps the old bytes.
  bool overwrite = false;
  // A disk of this size, for tests.
  std::uint64_t limit_bytes = std::numeric_limits<std::uint64_t>::max();
};

class OutputFile {
 public:
  // All of these throw Error(io_failed), which names the file and says what the system said.
  explicit OutputFile(std::filesystem::path path, const OutputFileOptions& options = {});
  void write(std::span<const std::byte> bytes) { write_parts({bytes}); }
  void write_parts(std::initializer_list<std::span<const std::byte>> parts);  // all or none
  void sync();

  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  std::uint64_t size_bytes() const noexcept { return size_bytes_; }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  // The number of bytes written of these, or an errno below zero.
  std::int64_t write_some(std::span<const std::byte> bytes, std::uint64_t offset) const;
  [[noreturn]] void undo_and_fail(std::uint64_t wanted_bytes, int error);

  std::filesystem::path path_;
  std::uint64_t limit_bytes_;
  std::uint64_t size_bytes_ = 0;
  int descriptor_ = -1;
};

}  // namespace reel
