// open_file.hpp - a regular file, read piece by piece.
//
// Nothing is mapped: a file that somebody cuts shorter gives fewer bytes, and no signal. Owns a
// descriptor. Any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace reel {

class OpenFile {
 public:
  // Throws Error(io_failed) that names the file where it is missing, unreadable, or no regular
  // file: a pipe or a device may never end, and opening it never waits. An empty one is no
  // document: Error(damaged_document).
  explicit OpenFile(std::filesystem::path path);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(OpenFile&&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  const std::filesystem::path& path() const noexcept { return path_; }
  std::uint64_t size() const noexcept { return size_; }  // when it was opened
  int descriptor() const noexcept { return descriptor_; }

  // How many bytes from `offset` on are in `to` now: fewer than asked for only where the file ends.
  // Throws Error(io_failed) where the system can't read.
  std::size_t read(std::uint64_t offset, std::span<std::byte> to) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace reel
