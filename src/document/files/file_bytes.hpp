// file_bytes.hpp - the bytes of a document, wherever they are: in memory, or in a file.
//
// Borrows either, and is as cheap to copy as a span. Of a file, only what is asked for is read,
// into memory that the caller keeps from one piece to the next.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "document/files/open_file.hpp"

namespace reel {

class FileBytes {
 public:
  using Room = std::vector<std::byte>;

  template <std::convertible_to<std::span<const std::byte>> Bytes>
  FileBytes(const Bytes& memory)  // NOLINT: as good as the span
      : memory_(memory), size_(memory_.size()) {}
  FileBytes(const OpenFile& file) : file_(&file), size_(file.size()) {}  // NOLINT: the same

  std::uint64_t size() const noexcept { return size_; }
  // `count` bytes from `offset` on, or as many as there are: a file may have been cut shorter since
  // it was opened. They are good until `room` is used again. Throws Error(io_failed).
  std::span<const std::byte> read(std::uint64_t offset, std::uint64_t count, Room& room) const;
  // The checksum of a range, after that of what is before it; none where the range isn't all there.
  std::optional<std::uint32_t> crc(std::uint64_t offset, std::uint64_t count,
                                   std::uint32_t before = 0) const;

 private:
  const OpenFile* file_ = nullptr;  // null: in memory
  std::span<const std::byte> memory_;
  std::uint64_t size_ = 0;
};

}  // namespace reel
