#include "base/bytes/crc32.hpp"

#include <libdeflate.h>

#include <array>

namespace reel {
namespace {

// Of polynomials modulo ours, bits reflected: the highest bit is the number 1.
constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t result = 0;
  for (std::uint32_t bit = 0x80000000u; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) result ^= b;
    b = (b >> 1) ^ ((b & 1) != 0 ? 0xedb88320u : 0);
  }
  return result;
}

// Number k is x to the power of two to the power of k.
constexpr std::array<std::uint32_t, 32> powers = [] {
  std::array<std::uint32_t, 32> result{0x40000000u};
  for (std::size_t k = 1; k < result.size(); ++k) result[k] = product(result[k - 1], result[k - 1]);
  return result;
}();

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  // libdeflate takes a null pointer for "begin anew", whatever was before.
  if (bytes.empty()) return before;
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

std::uint32_t crc32_of_both(std::uint32_t first, std::uint32_t second,
                            std::uint64_t second_bytes) noexcept {
  std::size_t power = 3;  // eight bits a byte
  for (; second_bytes != 0; second_bytes >>= 1, ++power)
    if ((second_bytes & 1) != 0) first = product(powers[power % powers.size()], first);
  return first ^ second;
}

}  // namespace reel
