#include "document/trace/loading/id_index.hpp"

#include <gtest/gtest.h>

#include "reel/trace.hpp"

namespace reel::test {
namespace {

using document::IdIndex;

TEST(IdIndex, FindsIdsThatCountUpAndThoseThatDoNot) {
  for (const std::uint32_t far : {3u, 4'000'000'000u}) {
    const std::uint32_t ids[] = {7, far, 0};
    const IdIndex index(ids);
    EXPECT_EQ(index.find(7), 0u);
    EXPECT_EQ(index.find(far), 1u);
    EXPECT_EQ(index.find(0), 2u);
    EXPECT_EQ(index.find(1), no_index);
    EXPECT_EQ(index.find(no_index), no_index);
    EXPECT_EQ(index.duplicates(), 0u);
  }
}

TEST(IdIndex, OfEqualIdsTheFirstCounts) {
  for (const std::uint32_t far : {3u, 4'000'000'000u}) {
    const std::uint32_t ids[] = {far, 5, far, 5, 5};
    const IdIndex index(ids);
    EXPECT_EQ(index.find(far), 0u);
    EXPECT_EQ(index.find(5), 1u);
    EXPECT_EQ(index.duplicates(), 3u);
  }
}

TEST(IdIndex, EmptyFindsNothing) {
  EXPECT_EQ(IdIndex().find(0), no_index);
  EXPECT_EQ(IdIndex(std::span<const std::uint32_t>()).find(0), no_index);
}

}  // namespace
}  // namespace reel::test
