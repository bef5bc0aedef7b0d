// crc32.hpp - the checksum of MCAP, zip and PNG (polynomial 0xedb88320).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace reel {

// Of pieces one after another: crc32(second, crc32(first)).
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;

}  // namespace reel
