#include "recording/contents/taken_pages.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include "reel/trace.hpp"

namespace reel::capture {
namespace {

std::vector<std::byte> random_bytes(std::size_t size, std::uint32_t seed) {
  std::vector<std::byte> bytes(size);
  std::mt19937 random(seed);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

class TakenPagesTest : public testing::Test {
 protected:
  std::shared_ptr<TakenPages> taken(std::span<const std::byte> source, bool keeps = true) {
    return std::make_shared<TakenPages>(source, *budget->try_take(source.size()), keeps, stored,
                                        copied);
  }

  std::shared_ptr<MemoryBudget> budget = std::make_shared<MemoryBudget>(std::size_t{256} << 20);
  std::shared_ptr<StoredPages> stored = std::make_shared<StoredPages>();
  std::shared_ptr<CopiedPages> copied = std::make_shared<CopiedPages>();
};

// Of pieces whose pages come from a few, in a document that has some of them already: every page
// has its own hash, and its bytes are there exactly once, but for small ones, which are always
// there.
TEST_F(TakenPagesTest, EveryPageIsKeptOnceWhateverOrderTheyComeIn) {
  std::mt19937 random(11);
  std::vector<std::vector<std::byte>> kinds;
  for (std::uint32_t kind = 0; kind < 6; ++kind) kinds.push_back(random_bytes(page_bytes, kind));
  stored->insert(hash128(kinds[0]));
  std::unordered_set<Hash128> known{hash128(kinds[0])};
  for (int round = 0; round < 60; ++round) {
    const std::size_t tail = random() % 3 == 0   ? 0
                             : random() % 2 == 0 ? random() % TakenPages::least_bytes
                                                 : random() % page_bytes;
    const std::size_t size = random() % 4 * page_bytes + tail;
    if (size == 0) continue;
    std::vector<std::byte> piece(size);
    for (std::size_t at = 0; at < size; at += page_bytes)
      std::memcpy(&piece[at], kinds[random() % kinds.size()].data(),
                  std::min<std::size_t>(page_bytes, size - at));
    const auto pages = taken(piece);
    EXPECT_FALSE(pages->are_there());
    pages->take();
    ASSERT_TRUE(pages->are_there());
    for (std::size_t at = 0; at < size; at += page_bytes) {
      const auto page = std::span(piece).subspan(at, std::min<std::size_t>(page_bytes, size - at));
      EXPECT_EQ(pages->hash(at / page_bytes), hash128(page));
      const auto kept = pages->bytes(at / page_bytes);
      const bool is_small = page.size() < TakenPages::least_bytes;
      if (!is_small && !known.insert(hash128(page)).second)
        EXPECT_TRUE(kept.empty()) << "round " << round << ", page " << at / page_bytes;
      else
        EXPECT_TRUE(std::ranges::equal(kept, page)) << "round " << round;
    }
  }
}

TEST_F(TakenPagesTest, WhereOnlyHashesAreWantedNothingIsCopied) {
  const auto bytes = random_bytes(2 * page_bytes + 100, 1);
  const auto pages = taken(bytes, false);
  pages->take();
  for (std::size_t page = 0; page < 3; ++page) {
    EXPECT_TRUE(pages->bytes(page).empty());
    EXPECT_EQ(pages->hash(page),
              hash128(std::span(bytes).subspan(page * page_bytes, page < 2 ? page_bytes : 100)));
  }
  EXPECT_TRUE(copied->pages.empty());
}

// A program that writes what a kernel reads has a race, but its document is still whole.
TEST_F(TakenPagesTest, BytesThatAreWrittenMeanwhileHaveTheHashOfWhatWasKept) {
  std::vector<std::byte> bytes(8 * page_bytes);
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    for (std::uint32_t i = 0; !is_over; ++i)
      reinterpret_cast<volatile std::uint32_t*>(bytes.data())[i * 997 % (bytes.size() / 4)] = i;
  });
  int kept = 0;
  for (int round = 0; round < 20 || kept <= 8; ++round) {  // the writer may come late
    const auto pages = taken(bytes);
    pages->take();
    for (std::size_t page = 0; page < 8; ++page)
      if (const auto copy = pages->bytes(page); !copy.empty()) {
        EXPECT_EQ(hash128(copy), pages->hash(page));
        ++kept;
      }
  }
  is_over = true;
  writer.join();
}

}  // namespace
}  // namespace reel::capture
