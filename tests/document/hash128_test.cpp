#include "base/bytes/hash128.hpp"

#include <gtest/gtest.h>
#define XXH_INLINE_ALL  // as it comes, for every processor
#include <xxhash.h>

#include <random>
#include <vector>

namespace reel::test {
namespace {

Hash128 hash_of(std::string_view text) { return hash128(std::as_bytes(std::span(text))); }

// XXH3's own published value for no bytes, seed 0; and what xxhsum -H2 prints.
TEST(Hash128, IsXxh3Of128Bits) {
  EXPECT_EQ(to_hex(hash_of("")), "99aa06d3014798d86001c324468d497f");
}

// Large pieces go through wider registers where the processor has them, from any address.
TEST(Hash128, IsTheSameWhateverTheProcessor) {
  std::mt19937 random(3);
  std::vector<std::byte> bytes((std::size_t{1} << 20) + 64);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  for (int i = 0; i < 3000; ++i) {
    const std::size_t size = i % 100 == 0 ? random() % (bytes.size() - 64) : random() % 3000;
    const auto part = std::span(bytes).subspan(random() % 64, size);
    const XXH128_hash_t expected = XXH3_128bits(part.data(), part.size());
    EXPECT_EQ(hash128(part), (Hash128{expected.low64, expected.high64})) << size << " bytes";
  }
}

TEST(Hash128, DiffersWhereTheBytesDiffer) {
  EXPECT_EQ(hash_of("kernel"), hash_of("kernel"));
  EXPECT_NE(hash_of("kernel"), hash_of("kernem"));
  EXPECT_NE(hash_of("kernel"), hash_of(std::string_view("kernel\0", 7)));
}

TEST(Hash128, ComesBackFromItsDigits) {
  const Hash128 hash = hash_of("page");
  EXPECT_EQ(hash128_from_hex(to_hex(hash)), hash);
  EXPECT_EQ(to_hex({.low = 1, .high = 0xab}), "00000000000000ab0000000000000001");
}

TEST(Hash128, IsNotMadeOfAnythingElseThanItsDigits) {
  for (const char* wrong :
       {"", "1", "99aa06d3014798d86001c324468d497", "99aa06d3014798d86001c324468d497f0",
        "99AA06D3014798D86001C324468D497F", "99aa06d3014798d8 6001c324468d497",
        "99aa06d3014798d86001c324468d497g", "0x99aa06d3014798d86001c324468d49"})
    EXPECT_EQ(hash128_from_hex(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace reel::test
