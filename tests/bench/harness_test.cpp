// What benchmarks conclude from their rounds.
#include "shared/harness.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace bench {
namespace {

TEST(MedianInterval, IsEverywhereForFewValues) {
  const std::vector<double> eleven(11, 1.0);
  EXPECT_EQ(median_interval(eleven).low, -INFINITY);
  EXPECT_EQ(median_interval(eleven).high, INFINITY);
  EXPECT_EQ(median_interval({}).low, -INFINITY);
}

TEST(MedianInterval, LeavesOutWhatIsFarOnEitherSide) {
  std::vector<double> values;
  for (int i = 40; i > 0; --i) values.push_back(i);
  const Interval found = median_interval(values);
  EXPECT_GT(found.low, 1);
  EXPECT_LT(found.low, 20);
  EXPECT_EQ(found.low - 1, 40 - found.high) << "as many on both sides";
}

// Rounds as a noisy machine gives them, around `median`.
class Rounds {
 public:
  Rounds(double median, double noise, std::uint32_t seed)
      : median_(median), spread_(0, noise), random_(seed) {}
  void add() { values_.push_back(median_ * std::exp(spread_(random_))); }
  Verdict verdict(double at_most) const { return verdict_of({"", at_most}, values_); }
  std::size_t count() const { return values_.size(); }

 private:
  double median_;
  std::normal_distribution<double> spread_;
  std::mt19937 random_;
  std::vector<double> values_;
};

Rounds measured(double median, double at_most, std::uint32_t seed) {
  Rounds rounds(median, 0.05, seed);
  measure_more_while_open(
      {.rounds = 11, .deciding_seconds = 60}, [&] { rounds.add(); },
      [&] { return rounds.verdict(at_most).decided(); });
  return rounds;
}

// Where the truth is the aim itself, every decision is a wrong one.
TEST(Deciding, OfAHundredAimsThatAreExactlyMetOneIsDecidedAtMost) {
  int decided = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed)
    decided += measured(1.05, 1.05, seed).verdict(1.05).decided();
  EXPECT_LE(decided, 20);
}

TEST(Deciding, WhatIsClearIsDecidedSoonAndRightly) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    for (const double median : {1.15, 0.95}) {
      const Rounds rounds = measured(median, 1.05, seed);
      EXPECT_TRUE(rounds.verdict(1.05).decided()) << median;
      EXPECT_EQ(rounds.verdict(1.05).met(), median < 1.05);
      EXPECT_LE(rounds.count(), 44u);
    }
  }
}

TEST(Deciding, EndsWhereNothingDecides) {
  int rounds = 0;
  measure_more_while_open(
      {.rounds = 5, .deciding_seconds = 60}, [&] { ++rounds; }, [] { return false; });
  EXPECT_EQ(rounds, 5 * most_looks);
  measure_more_while_open(
      {.rounds = 5, .deciding_seconds = 0}, [&] { ++rounds; }, [] { return false; });
  EXPECT_EQ(rounds, 5 * most_looks + 5);
}

}  // namespace
}  // namespace bench
