// hash128.hpp - what names a piece of data by its bytes.
//
// XXH3 of 128 bits: fast, the same on every machine, and good against accidents. It doesn't
// withstand somebody who makes two pieces with one hash on purpose.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace reel {

struct Hash128 {
  std::uint64_t low = 0, high = 0;

  friend bool operator==(const Hash128&, const Hash128&) = default;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

Hash128 hash128(std::span<const std::byte> bytes);

// 32 lower-case hex digits, the high half first, as xxhsum prints it.
std::string to_hex(Hash128 hash);
// Only what to_hex() writes; anything else is none.
std::optional<Hash128> hash128_from_hex(std::string_view digits);

}  // namespace reel

// A good hash already: half of it is as good.
template <>
struct std::hash<reel::Hash128> {
  std::size_t operator()(const reel::Hash128& value) const noexcept { return value.low; }
};
