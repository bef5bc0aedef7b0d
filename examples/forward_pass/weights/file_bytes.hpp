// file_bytes.hpp - a file read piece by piece, where every place is checked before it is read.
//
// Owns its descriptor, or the bytes it was given. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace forward_pass {

class FileBytes {
 public:
  explicit FileBytes(std::string path);                       // throws with the reason
  FileBytes(std::string name, std::vector<std::byte> bytes);  // for tests
  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&&) = delete;
  ~FileBytes();

  const std::string& name() const noexcept { return name_; }
  std::uint64_t size() const noexcept { return size_; }
  // Fills the target from this place; past the end is an error that says how large the file is.
  void read(std::uint64_t offset, std::span<std::byte> target) const;
  // "Weights 'x.gguf': <sentence>", thrown.
  [[noreturn]] void refuse(const std::string& sentence) const;

 private:
  std::string name_;
  std::vector<std::byte> bytes_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace forward_pass
