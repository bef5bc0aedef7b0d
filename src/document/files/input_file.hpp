// input_file.hpp - all bytes of a file, to read.
//
// Mapped, so that opening a large file costs nothing and only what is looked at is read. Owns the
// mapping; bytes() is good as long as this object is. Any number of threads.
//
// A file that somebody cuts shorter while it is mapped ends this program with SIGBUS at the next
// look behind its new end. OutputFile never does that to a file it replaces; what stays open for
// long, as a Trace does, reads an OpenFile.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace reel {

class InputFile {
 public:
  // Throws what OpenFile does, and Error(io_failed) where it can't be mapped.
  explicit InputFile(std::filesystem::path path);
  InputFile(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(InputFile&&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace reel
