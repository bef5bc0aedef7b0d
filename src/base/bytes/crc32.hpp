// crc32.hpp - the checksum of MCAP, zip and PNG (polynomial 0xedb88320).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace reel {

// Of pieces one after another: crc32(second, crc32(first)).
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;

// Of two pieces, from the checksum of each and the length of the second: no byte is read twice.
std::uint32_t crc32_of_both(std::uint32_t first, std::uint32_t second,
                            std::uint64_t second_bytes) noexcept;

// What a piece with its own checksum behind it (little-endian) has, whatever is in it.
inline constexpr std::uint32_t crc32_of_checked = 0x2144df1c;

}  // namespace reel
