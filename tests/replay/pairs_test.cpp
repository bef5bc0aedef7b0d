// Savings by pairs of runs: as certain as they say.
#include "replay/proof/pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace reel::rerun {
namespace {

// Times of a machine: most near each other, some disturbed, all of them slower for a while.
class Machine {
 public:
  explicit Machine(std::uint32_t seed) : random_(seed) {}

  Saving measured(std::uint32_t pairs, double ns, double saved_ns) {
    std::vector<double> before, after;
    for (std::uint32_t i = 0; i < pairs; ++i) {
      drift_ += 0.02 * ns * normal_(random_);
      before.push_back(time(ns));
      after.push_back(time(ns - saved_ns));
    }
    return saving_of(before, after);
  }

 private:
  double time(double ns) {
    const double disturbed = random_() % 10 == 0 ? 0.5 * ns * std::abs(normal_(random_)) : 0;
    return ns + drift_ + 0.03 * ns * normal_(random_) + disturbed;
  }
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  double drift_ = 0;
};

TEST(Pairs, TheIntervalHoldsWhatIsSavedInNineteenOfTwentyCases) {
  constexpr int cases = 1000;
  Machine machine(7);
  for (const std::uint32_t pairs : {6u, 10u, 20u, 40u})
    for (const double saved : {0.0, 5000.0}) {
      int held = 0;
      for (int i = 0; i < cases; ++i) {
        const Saving saving = machine.measured(pairs, 100'000, saved);
        EXPECT_LE(saving.low_ns, saving.ns);
        EXPECT_LE(saving.ns, saving.high_ns);
        if (saving.before_ns > 0) {  // what drifts below nothing is cut off there
          EXPECT_NEAR(saving.before_ns - saving.after_ns, saving.ns, 1e-6);
        }
        held += saving.low_ns <= saved && saved <= saving.high_ns;
      }
      // Four standard deviations of a thousand tries below nineteen in twenty.
      EXPECT_GE(held, cases * 0.95 - 4 * std::sqrt(cases * 0.95 * 0.05))
          << pairs << " pairs, " << saved << " ns saved";
    }
}

TEST(Pairs, NothingSavedIsSeldomCalledASaving) {
  constexpr int cases = 1000;
  Machine machine(11);
  int supported = 0, found = 0, withdrawn = 0;
  for (int i = 0; i < cases; ++i) {
    supported += judge(machine.measured(20, 100'000, 0), std::nullopt) == ProofVerdict::supported;
    found += judge(machine.measured(40, 100'000, 10'000), 10'000) == ProofVerdict::supported;
    withdrawn += judge(machine.measured(40, 100'000, 0), 100'000) == ProofVerdict::withdrawn;
  }
  EXPECT_LE(supported, cases / 20);
  EXPECT_GE(found, cases * 95 / 100);
  EXPECT_GE(withdrawn, cases * 95 / 100);
}

TEST(Pairs, SixPairsAreTheFewestThatCanTell) {
  const std::vector<double> slow{10, 11, 12, 13, 14, 15}, fast{1, 1, 1, 1, 1, 1};
  const Saving saving = saving_of(slow, fast);
  EXPECT_EQ(saving.low_ns, 9);
  EXPECT_EQ(saving.high_ns, 14);
  EXPECT_EQ(judge(saving, 90), ProofVerdict::supported);
  EXPECT_EQ(judge(saving, 1000), ProofVerdict::withdrawn);
  EXPECT_EQ(judge(saving, 130), ProofVerdict::inconclusive);
  EXPECT_EQ(judge(saving_of(fast, slow), std::nullopt), ProofVerdict::withdrawn);
  // More than twice what there was to save: it was saved by something else.
  EXPECT_EQ(judge(saving, 5), ProofVerdict::supported);
  EXPECT_EQ(judge(saving, 4), ProofVerdict::inconclusive);
  Saving few = saving;
  few.runs = fewest_pairs - 1;
  EXPECT_EQ(judge(few, 90), ProofVerdict::inconclusive);
}

TEST(Pairs, AKernelThatTakesAsLongAloneAsRecordedIsSlowItself) {
  // In its place it is slower today, for certain.
  const Saving alone{.before_ns = 32'700, .after_ns = 24'700, .low_ns = 7'000, .high_ns = 9'000};
  EXPECT_EQ(judge_own_time(alone, 25'000), ProofVerdict::supported);
  EXPECT_EQ(judge_own_time(alone, 40'000), ProofVerdict::withdrawn);
  EXPECT_EQ(judge_own_time(alone, std::nullopt), ProofVerdict::withdrawn);
  EXPECT_EQ(judge_own_time(alone, 70'000), ProofVerdict::withdrawn) << "it does not come again";
  const Saving unsure{.before_ns = 100, .after_ns = 85, .low_ns = 5, .high_ns = 30};
  EXPECT_EQ(judge_own_time(unsure, std::nullopt), ProofVerdict::inconclusive);
}

}  // namespace
}  // namespace reel::rerun
