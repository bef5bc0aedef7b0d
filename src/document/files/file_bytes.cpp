#include "document/files/file_bytes.hpp"

#include <algorithm>

#include "base/bytes/crc32.hpp"

namespace reel {

std::span<const std::byte> FileBytes::read(std::uint64_t offset, std::uint64_t count,
                                           Room& room) const {
  if (offset >= size_) return {};
  count = std::min(count, size_ - offset);
  if (!file_) return memory_.subspan(offset, count);
  if (room.size() < count) room.resize(count);
  return std::span(room).first(file_->read(offset, std::span(room).first(count)));
}

std::optional<std::uint32_t> FileBytes::crc(std::uint64_t offset, std::uint64_t count,
                                            std::uint32_t before) const {
  constexpr std::uint64_t piece_bytes = 1u << 20;
  Room room;
  while (count > 0) {
    const std::uint64_t wanted = std::min(count, piece_bytes);
    const auto piece = read(offset, wanted, room);
    if (piece.size() < wanted) return std::nullopt;
    before = crc32(piece, before);
    offset += wanted;
    count -= wanted;
  }
  return before;
}

}  // namespace reel
