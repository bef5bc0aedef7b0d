#include "base/crc32.hpp"

#include <array>
#include <bit>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

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

#ifdef __x86_64__

// Multiplication without carries: sixteen bytes are carried 16 or 64 bytes further by two products
// with powers of x modulo the polynomial (bits reflected, as everywhere here), so that four
// independent sums of 16 bytes run side by side. Takes whole multiples of 16 bytes, 64 at least,
// and the sum before them, not inverted. Ten times as fast as the tables.
constexpr std::size_t least_folded_bytes = 64;

using Vector = __m128i;

__attribute__((target("pclmul,sse4.1"))) inline Vector carried(Vector sum, Vector powers) {
  return _mm_xor_si128(_mm_clmulepi64_si128(sum, powers, 0x00),
                       _mm_clmulepi64_si128(sum, powers, 0x11));
}

__attribute__((target("pclmul,sse4.1"))) std::uint32_t folded(std::span<const std::byte> bytes,
                                                              std::uint32_t crc) {
  const auto load = [&](std::size_t at) __attribute__((target("pclmul,sse4.1"))) {
    return _mm_loadu_si128(reinterpret_cast<const Vector*>(bytes.data() + at));
  };
  const Vector by_64 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
  const Vector by_16 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  const Vector low_halves = _mm_setr_epi32(-1, 0, -1, 0);

  Vector sums[] = {load(0), load(16), load(32), load(48)};
  sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
  std::size_t at = 64;
  for (; at + 64 <= bytes.size(); at += 64)
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i)
      sums[i] = _mm_xor_si128(carried(sums[i], by_64), load(at + 16 * i));
  Vector sum = sums[0];
  for (std::size_t i = 1; i < 4; ++i) sum = _mm_xor_si128(carried(sum, by_16), sums[i]);
  for (; at + 16 <= bytes.size(); at += 16) sum = _mm_xor_si128(carried(sum, by_16), load(at));

  // 128 bits to 64, to 32 (Barrett: a product with the inverse, then with the polynomial).
  sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, by_16, 0x10));
  sum = _mm_xor_si128(
      _mm_clmulepi64_si128(_mm_and_si128(sum, low_halves), _mm_set_epi64x(0, 0x163cd6124), 0x00),
      _mm_srli_si128(sum, 4));
  const Vector inverse_and_polynomial = _mm_set_epi64x(0x1f7011641, 0x1db710641);
  Vector quotient =
      _mm_clmulepi64_si128(_mm_and_si128(sum, low_halves), inverse_and_polynomial, 0x10);
  quotient =
      _mm_clmulepi64_si128(_mm_and_si128(quotient, low_halves), inverse_and_polynomial, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(sum, quotient), 1));
}

bool can_fold() {
  static const bool can =
      __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
  return can;
}

#endif

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
  static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
  std::uint32_t crc = ~before;
#ifdef __x86_64__
  if (bytes.size() >= least_folded_bytes && can_fold()) {
    const auto whole = bytes.first(bytes.size() / 16 * 16);
    crc = folded(whole, crc);
    bytes = bytes.subspan(whole.size());
  }
#endif
  for (; bytes.size() >= step_bytes; bytes = bytes.subspan(step_bytes)) {
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), bytes.data(), step_bytes);
    crc = look_up(words[0] ^ crc, 8) ^ look_up(words[1], 0);
  }
  for (const std::byte byte : bytes)
    crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<std::uint32_t>(byte)) & 0xff];
  return ~crc;
}

std::uint32_t crc32_of_both(std::uint32_t first, std::uint32_t second,
                            std::uint64_t second_bytes) noexcept {
  std::size_t power = 3;  // eight bits a byte
  for (; second_bytes != 0; second_bytes >>= 1, ++power)
    if ((second_bytes & 1) != 0) first = product(powers[power % powers.size()], first);
  return first ^ second;
}

}  // namespace reel
