#include "replay/proof/pairs.hpp"

#include <algorithm>
#include <cmath>

#include "replay/statistics.hpp"

namespace reel::rerun {

namespace {

// How many of the smallest averages lie below the 95 % interval: the largest k for which a sum of
// ranks under k has a chance of less than 2.5 %, if nothing were saved. Every sum of 1 … n is
// counted, each sign of a rank being as likely as the other.
std::size_t averages_outside(std::size_t pairs) {
  std::vector<double> ways{1};  // by sum, as a part of all
  for (std::size_t rank = 1; rank <= pairs; ++rank) {
    std::vector<double> next(ways.size() + rank);
    for (std::size_t sum = 0; sum < ways.size(); ++sum) {
      next[sum] += ways[sum] / 2;
      next[sum + rank] += ways[sum] / 2;
    }
    ways = std::move(next);
  }
  double chance = 0;
  std::size_t below = 0;
  while (below < ways.size() && (chance += ways[below]) <= 0.025) ++below;
  return below;
}

}  // namespace

Saving saving_of(const std::vector<double>& before, const std::vector<double>& after) {
  Saving saving;
  saving.runs = static_cast<std::uint32_t>(before.size());
  saving.after_ns = spread_of(after).median;
  std::vector<double> averages;  // of any two differences, each with itself as well
  for (std::size_t i = 0; i < before.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      averages.push_back((before[i] - after[i] + before[j] - after[j]) / 2);
  std::ranges::sort(averages);
  saving.ns = spread_of(averages).median;
  saving.before_ns = std::max(saving.after_ns + saving.ns, 0.0);
  const std::size_t outside = std::min(averages_outside(before.size()), (averages.size() + 1) / 2);
  saving.low_ns = averages[outside ? outside - 1 : 0];
  saving.high_ns = averages[averages.size() - std::max<std::size_t>(outside, 1)];
  return saving;
}

bool is_more_than_claimed(const Saving& saving, std::optional<double> claimed_ns) {
  return claimed_ns && saving.low_ns > 2 * *claimed_ns;
}

ProofVerdict judge(const Saving& saving, std::optional<double> claimed_ns) {
  const double least = claimed_ns.value_or(0) / 10;
  if (saving.runs < fewest_pairs || is_more_than_claimed(saving, claimed_ns))
    return ProofVerdict::inconclusive;
  if (saving.low_ns > 0 && saving.ns >= least) return ProofVerdict::supported;
  if (saving.high_ns < least || saving.high_ns <= 0) return ProofVerdict::withdrawn;
  return ProofVerdict::inconclusive;
}

ProofVerdict judge_own_time(const Saving& alone, std::optional<double> recorded_ns) {
  constexpr double other_part = 0.2, recorded_part = 0.5;
  if (recorded_ns && alone.before_ns < recorded_part * *recorded_ns) return ProofVerdict::withdrawn;
  // Runs in place may be slowed by whatever else the machine does now.
  if (recorded_ns && alone.after_ns >= (1 - other_part) * *recorded_ns)
    return ProofVerdict::supported;
  const double much = other_part * alone.before_ns;
  if (alone.low_ns > much) return ProofVerdict::withdrawn;
  return alone.high_ns < much ? ProofVerdict::supported : ProofVerdict::inconclusive;
}

}  // namespace reel::rerun
