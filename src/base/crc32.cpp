#include "base/crc32.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace reel {
namespace {

// Sixteen bytes a step: byte k of a step is looked up in table 15 - k, which holds what that byte
// becomes after the 15 - k bytes behind it. Some five times as fast as one byte a step.
constexpr std::size_t step_bytes = 16;
using Tables = std::array<std::array<std::uint32_t, 256>, step_bytes>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t behind = 1; behind < step_bytes; ++behind)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[behind - 1][byte];
      tables[behind][byte] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  return tables;
}

constexpr Tables tables = make_tables();

// The eight bytes of `word`, the first of which has `behind` + 7 bytes of the step behind it.
std::uint32_t look_up(std::uint64_t word, std::size_t behind) {
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < 8; ++i) crc ^= tables[behind + 7 - i][(word >> (8 * i)) & 0xff];
  return crc;
}

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
  std::uint32_t crc = ~before;
  for (; bytes.size() >= step_bytes; bytes = bytes.subspan(step_bytes)) {
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), bytes.data(), step_bytes);
    crc = look_up(words[0] ^ crc, 8) ^ look_up(words[1], 0);
  }
  for (const std::byte byte : bytes)
    crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<std::uint32_t>(byte)) & 0xff];
  return ~crc;
}

}  // namespace reel
