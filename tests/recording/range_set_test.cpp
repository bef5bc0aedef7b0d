#include "base/range_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/glob.hpp"

namespace reel::capture {
namespace {

TEST(RangeSet, AgreesWithASetOfSingleBytes) {
  std::mt19937 random(7);
  RangeSet ranges;
  std::vector<bool> bytes(200, false);
  for (int round = 0; round < 5000; ++round) {
    const std::uint64_t begin = random() % 200, end = begin + random() % (201 - begin);
    const bool add = random() % 2;
    if (add)
      ranges.add(begin, end);
    else
      ranges.remove(begin, end);
    for (std::uint64_t i = begin; i < end; ++i) bytes[i] = add;
    const std::uint64_t first = random() % 200, last = first + random() % (201 - first);
    std::vector<bool> in(200, false), out(200, false);
    ranges.for_each_in(first, last, [&](std::uint64_t a, std::uint64_t b) {
      ASSERT_LT(a, b);
      for (; a < b; ++a) in[a] = true;
    });
    ranges.for_each_gap(first, last, [&](std::uint64_t a, std::uint64_t b) {
      ASSERT_LT(a, b);
      for (; a < b; ++a) out[a] = true;
    });
    bool all = true, any = false;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const bool within = i >= first && i < last;
      ASSERT_EQ(in[i], within && bytes[i]) << i;
      ASSERT_EQ(out[i], within && !bytes[i]) << i;
      if (within) all = all && bytes[i], any = any || bytes[i];
    }
    ASSERT_EQ(ranges.contains(first, last), all);
    ASSERT_EQ(ranges.overlaps(first, last), any);
  }
}

TEST(Glob, MatchesAsPeopleExpect) {
  EXPECT_TRUE(glob_matches("decode/*", "decode/layer0"));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("*attn*", "layer0/attn/q"));
  EXPECT_TRUE(glob_matches("layer?", "layer3"));
  EXPECT_FALSE(glob_matches("layer?", "layer12"));
  EXPECT_TRUE(glob_matches("block[0]/*", "block[0]/q"));  // no set of characters
  EXPECT_FALSE(glob_matches("", "x"));
  EXPECT_FALSE(glob_matches("decode", "decode/layer0"));
  EXPECT_TRUE(scope_matches("decode", "decode/layer0/mlp"));
  EXPECT_TRUE(scope_matches("decode/layer?", "decode/layer1/mlp"));
  EXPECT_FALSE(scope_matches("decode", "decoder/layer0"));
  EXPECT_FALSE(scope_matches("decode", ""));
}

}  // namespace
}  // namespace reel::capture
