// pairs.hpp - two ways to do the same, timed by turns: how much the second saves, and how certain
// that is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reel/proof.hpp"

namespace reel::rerun {

// The estimate of Hodges and Lehmann, with the 95 % interval of Wilcoxon's signed-rank test. Both
// look at differences of neighbouring runs, so a clock that rises or a neighbour that comes and
// goes changes little, and neither does one run that was disturbed.
struct Saving {
  // The median of the second way, and with what a pair saves, the first: so that what is printed
  // adds up. The median of the first alone is of other moments.
  double before_ns = 0, after_ns = 0;
  double ns = 0;                   // saved by a run
  double low_ns = 0, high_ns = 0;  // where it is for certain (95 %)
  std::uint32_t runs = 0;          // pairs

  double noise_ns() const noexcept { return (high_ns - low_ns) / 2; }
};

// Fewer pairs than this have no 95 % interval.
inline constexpr std::uint32_t fewest_pairs = 6;
// Of the same size, at least `fewest_pairs`.
Saving saving_of(const std::vector<double>& before, const std::vector<double>& after);

// A claim says what can be saved at most: twice as much, for certain, was saved by something else.
bool is_more_than_claimed(const Saving& saving, std::optional<double> claimed_ns);

// Supported where something is saved for certain and it is a tenth of the claim or more; withdrawn
// where it is less than that for certain; inconclusive where it is more than there is to save.
// Without a claim, any saving will do.
ProofVerdict judge(const Saving& saving, std::optional<double> claimed_ns);

// Of a run of a kernel in its place, and alone and warm: is the time its own? It is if four fifths
// of it are left alone, of the time in place for certain, or of the recorded one, where it was
// recorded on this device. Withdrawn where less is left for certain, or where the recorded time
// doesn't come again: less than half of it in place.
ProofVerdict judge_own_time(const Saving& alone, std::optional<double> recorded_ns);

}  // namespace reel::rerun
