#include "base/bytes/hash128.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include "base/bytes/hash128_avx2.hpp"

namespace reel {
namespace {

// Below, what a call takes is felt more.
[[maybe_unused]] constexpr std::size_t wide_from_bytes = 1024;

std::optional<std::uint64_t> half_from_hex(std::string_view hex_digits) {
  std::uint64_t value = 0;
  for (const char digit : hex_digits) {
    value <<= 4;
    if (digit >= '0' && digit <= '9')
      value |= static_cast<std::uint64_t>(digit - '0');
    else if (digit >= 'a' && digit <= 'f')
      value |= static_cast<std::uint64_t>(digit - 'a' + 10);
    else
      return std::nullopt;
  }
  return value;
}

}  // namespace

Hash128 hash128(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  static const bool is_wide = has_avx2();
  if (bytes.size() >= wide_from_bytes && is_wide) return hash128_avx2(bytes);
#endif
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {.low = hash.low64, .high = hash.high64};
}

std::string to_hex(Hash128 hash) { return fmt::format("{:016x}{:016x}", hash.high, hash.low); }

std::optional<Hash128> hash128_from_hex(std::string_view hex_digits) {
  if (hex_digits.size() != 32) return std::nullopt;
  const auto high = half_from_hex(hex_digits.substr(0, 16));
  const auto low = half_from_hex(hex_digits.substr(16));
  if (!high || !low) return std::nullopt;
  return Hash128{.low = *low, .high = *high};
}

}  // namespace reel
