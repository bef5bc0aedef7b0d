#include "base/bytes/crc32.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string_view>
#include <vector>

namespace reel::test {
namespace {

// The definition, bit by bit.
std::uint32_t slow_crc32(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~0U;
  for (const std::byte byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320U & (0U - (crc & 1)));
  }
  return ~crc;
}

TEST(Crc32, HasTheCheckValueOfItsDefinition) {
  EXPECT_EQ(crc32(std::as_bytes(std::span(std::string_view("123456789")))), 0xcbf43926U);
  EXPECT_EQ(crc32({}), 0U);
}

TEST(Crc32, IsTheSameForEveryLengthAndStartAsBitByBit) {
  std::mt19937 random(1);
  std::vector<std::byte> bytes(400);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  for (std::size_t begin = 0; begin < 17; ++begin)
    for (std::size_t size = 0; begin + size <= bytes.size(); ++size) {
      const auto part = std::span(bytes).subspan(begin, size);
      ASSERT_EQ(crc32(part), slow_crc32(part)) << begin << "+" << size;
    }
}

TEST(Crc32, OfPiecesIsThatOfTheWhole) {
  std::vector<std::byte> bytes(77, std::byte{0x5a});
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const std::span<const std::byte> all(bytes);
    EXPECT_EQ(crc32(all.subspan(cut), crc32(all.first(cut))), crc32(all));
  }
}

TEST(Crc32, OfBothIsThatOfTheWholeWithoutReadingItAgain) {
  std::mt19937 random(2);
  std::vector<std::byte> bytes(5000);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  const std::span<const std::byte> all(bytes);
  for (std::size_t cut = 0; cut <= all.size(); cut += 1 + random() % 40) {
    const auto first = all.first(cut), second = all.subspan(cut);
    ASSERT_EQ(crc32_of_both(crc32(first), crc32(second), second.size()), crc32(all)) << cut;
  }
  // Of zeros, as many as nobody would read.
  EXPECT_EQ(crc32_of_both(crc32_of_both(7, 0, 5'000'000'000), 0, 3'000'000'000),
            crc32_of_both(7, 0, 8'000'000'000));
}

TEST(Crc32, OfAPieceWithItsOwnBehindItIsAlwaysTheSame) {
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<std::byte> bytes(size, static_cast<std::byte>(size));
    const std::uint32_t own = crc32(bytes);
    EXPECT_EQ(crc32(std::as_bytes(std::span(&own, 1)), own), crc32_of_checked);
  }
}

}  // namespace
}  // namespace reel::test
