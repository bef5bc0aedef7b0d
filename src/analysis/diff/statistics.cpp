#include "analysis/diff/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace reel::analysis {

namespace {

// Of passes that are too few to see drift in.
constexpr double least_part_of_few = 0.25;

std::size_t decile_rank(const Times& times) { return times.size() / 10; }

std::uint64_t undisturbed_in(const Times& times, std::size_t begin, std::size_t end) {
  return undisturbed(Times(times.begin() + static_cast<std::ptrdiff_t>(begin),
                           times.begin() + static_cast<std::ptrdiff_t>(end)));
}

double two_sided_p(double z) { return std::erfc(std::abs(z) / std::sqrt(2.0)); }

// The z that has this two-sided p; by halving, since erfc has no inverse in the library.
double z_of(double p) {
  double low = 0, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (two_sided_p(middle) > p ? low : high) = middle;
  }
  return low;
}

// Twice the mean rank of each of `all`, so that ties stay whole numbers.
std::vector<std::uint32_t> doubled_ranks(const Times& all) {
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return all[i]; });
  std::vector<std::uint32_t> ranks(all.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && all[order[end]] == all[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) ranks[order[k]] = static_cast<std::uint32_t>(i + end + 1);
    i = end;
  }
  return ranks;
}

// The part of all choices of `count` ranks whose sum is as far from the middle as this one.
double exact_p(const std::vector<std::uint32_t>& ranks, std::size_t count, std::uint64_t sum) {
  const std::size_t most = ranks.size() * (ranks.size() + 1);
  std::vector<std::vector<double>> ways(count + 1, std::vector<double>(most + 1, 0));
  ways[0][0] = 1;
  for (const std::uint32_t rank : ranks)
    for (std::size_t k = count; k > 0; --k)
      for (std::size_t s = most; s >= rank; --s) ways[k][s] += ways[k - 1][s - rank];
  const double middle = static_cast<double>(count * (ranks.size() + 1));
  const double distance = std::abs(static_cast<double>(sum) - middle);
  double all = 0, far = 0;
  for (std::size_t s = 0; s <= most; ++s) {
    all += ways[count][s];
    if (std::abs(static_cast<double>(s) - middle) >= distance) far += ways[count][s];
  }
  return far / all;
}

double approximate_p(const std::vector<std::uint32_t>& ranks, std::size_t count,
                     std::uint64_t sum) {
  const auto n = static_cast<double>(ranks.size()), k = static_cast<double>(count);
  double squares = 0;  // of distances from the mean rank: ties make it less
  for (const std::uint32_t rank : ranks) squares += std::pow(rank - (n + 1), 2);
  const double variance = k * (n - k) / (n * (n - 1)) * squares;
  const double distance = std::abs(static_cast<double>(sum) - k * (n + 1));
  if (variance <= 0 || distance <= 1) return 1;
  return two_sided_p((distance - 1) / std::sqrt(variance));
}

double log_choices(std::size_t n, std::size_t k) {
  const auto factorial = [](std::size_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  return factorial(n) - factorial(k) - factorial(n - k);
}

// Two-sided: that so many times of either series, or more, are below the lower decile of the other.
// Of the smallest times drawn from both, at most those below the decile are of the other.
double precedence_p(Times a, Times b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  const auto one_sided = [](const Times& low, const Times& high) {
    const std::size_t rank = decile_rank(high);
    const auto below =
        static_cast<std::size_t>(std::ranges::lower_bound(low, high[rank]) - low.begin());
    const std::size_t drawn = below + rank;
    double p = 0;
    for (std::size_t of_high = 0; of_high <= rank; ++of_high)
      if (drawn - of_high <= low.size())
        p += std::exp(log_choices(high.size(), of_high) + log_choices(low.size(), drawn - of_high) -
                      log_choices(low.size() + high.size(), drawn));
    return p;
  };
  return std::min(1.0, 2 * std::min(one_sided(a, b), one_sided(b, a)));
}

// How much a time resembles the one before it, from 0 to 0.95, by rank so that one spike counts
// little. Short series make it look smaller than it is, by (1 + 3 r) / n.
double autocorrelation(const Times& a, const Times& b) {
  double products = 0, squares = 0, pairs = 0, n = 0;
  for (const Times* times : {&a, &b}) {
    const std::vector<std::uint32_t> ranks = doubled_ranks(*times);
    const double mean = static_cast<double>(ranks.size()) + 1;
    for (std::size_t i = 0; i < ranks.size(); ++i) squares += std::pow(ranks[i] - mean, 2);
    for (std::size_t i = 1; i < ranks.size(); ++i)
      products += (ranks[i] - mean) * (ranks[i - 1] - mean);
    n += static_cast<double>(ranks.size());
    pairs += static_cast<double>(ranks.size() - 1);
  }
  if (squares <= 0 || pairs <= 0) return 0;
  const double found = products / squares;
  return std::clamp(found + (1 + 3 * found) / (n / 2), 0.0, 0.95);
}

// All but the shortest and longest tenth of either are on their own side, and further apart than
// either varies. Times that resemble their neighbours move a run within its range; no such move was
// seen.
bool are_far_apart(Times a, Times b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  const auto low = [](const Times& times) { return times[decile_rank(times)]; };
  const auto high = [](const Times& times) { return times[times.size() - 1 - decile_rank(times)]; };
  const Times &faster = high(a) < low(b) ? a : b, &slower = high(a) < low(b) ? b : a;
  return high(faster) < low(slower) &&
         low(slower) - high(faster) > std::max(high(a) - low(a), high(b) - low(b));
}

// Apart by so much that neither drift nor resemblance of passes explains it, though the slower run
// varies: but for the shortest and longest tenth, every pass of one takes longer than every pass of
// the other, and their quartiles are a factor of two apart.
bool are_beyond_noise(Times a, Times b) {
  if (std::min(a.size(), b.size()) < steady_times) return false;
  std::ranges::sort(a);
  std::ranges::sort(b);
  const Times &faster = median_of(a) < median_of(b) ? a : b,
              &slower = median_of(a) < median_of(b) ? b : a;
  constexpr std::uint64_t factor = 2;
  return faster[faster.size() - 1 - decile_rank(faster)] < slower[decile_rank(slower)] &&
         faster[faster.size() * 3 / 4] * factor <= slower[slower.size() / 4];
}

// By how much the variance of a mean is larger than if the times were independent.
double inflation(const Times& a, const Times& b) {
  // Of fewer, the estimate is mostly chance; their drift is the guard then.
  constexpr std::size_t fewest = 8;
  if (std::min(a.size(), b.size()) < fewest) return 1;
  const double r = autocorrelation(a, b);
  return (1 + r) / (1 - r);
}

// How often a time of b is the larger one of a pair; half: they don't differ.
double part_larger(const Times& a, const Times& b) {
  double larger = 0;
  for (const std::uint64_t x : a)
    for (const std::uint64_t y : b) larger += x < y ? 1 : x == y ? 0.5 : 0;
  return larger / static_cast<double>(a.size() * b.size());
}

// About how many of each make such a change significant in four of five cases: by Noether's formula
// for ranks, (1.96 + 0.84)^2 / (6 (part - 1/2)^2), and by drift, which shrinks as 1 / sqrt(n).
std::optional<std::uint32_t> times_needed(const Times& a, const Times& b, double drift) {
  const double n = static_cast<double>(std::min(a.size(), b.size()));
  if (n == 0) return std::nullopt;
  const double change =
      std::abs(static_cast<double>(median_of(b)) - static_cast<double>(median_of(a)));
  const double effect = std::abs(part_larger(a, b) - 0.5);
  if (change == 0 || effect == 0) return std::nullopt;
  const double by_rank = 7.84 / (6 * effect * effect) * inflation(a, b);
  const double by_drift = n * std::pow(drift_margin * drift / change, 2);
  constexpr double most = 10'000;  // nobody records as many to see it
  // As many as are here didn't show it.
  const double needed = std::max({by_rank, by_drift, static_cast<double>(steady_times), n + 1});
  if (needed > most) return std::nullopt;
  return static_cast<std::uint32_t>(std::ceil(needed)) + 1;  // the first pass doesn't count
}

// And the median, which is as recorded, went the same way: not just all others the other way.
bool exceeds_floor(const DiffTime& time) {
  const auto floor = static_cast<std::int64_t>(time.floor_ns);
  return (time.shift_ns > floor && time.delta_ns() > floor / 2) ||
         (time.shift_ns < -floor && time.delta_ns() < -floor / 2);
}

}  // namespace

std::uint64_t median_of(Times times) {
  if (times.empty()) return 0;
  const std::size_t middle = times.size() / 2;
  std::ranges::sort(times);
  if (times.size() % 2) return times[middle];
  return times[middle - 1] + (times[middle] - times[middle - 1]) / 2;
}

std::uint64_t undisturbed(Times times) {
  if (times.empty()) return 0;
  std::ranges::sort(times);
  return times[decile_rank(times)];
}

std::uint64_t spread_of(Times times) {
  if (times.empty()) return 0;
  std::ranges::sort(times);
  return (times[times.size() * 3 / 4] - times[times.size() / 4]) / 2;
}

std::optional<std::uint64_t> drift_of(const Times& times) {
  const std::size_t n = times.size();
  if (n < 3) return std::nullopt;
  const std::uint64_t first = undisturbed_in(times, 0, n / 3);
  const std::uint64_t second = undisturbed_in(times, n / 3, n * 2 / 3);
  const std::uint64_t third = undisturbed_in(times, n * 2 / 3, n);
  return std::max({first, second, third}) - std::min({first, second, third});
}

std::uint64_t drift_between(const Times& a, const Times& b, std::optional<double> p) {
  const Times& faster = undisturbed(a) < undisturbed(b) ? a : b;
  const bool is_beyond_doubt = (p && *p <= beyond_doubt) || are_beyond_noise(a, b);
  const std::uint64_t own = is_beyond_doubt
                                ? drift_of(faster).value_or(0)
                                : std::max(drift_of(a).value_or(0), drift_of(b).value_or(0));
  const std::size_t n = a.size();
  if (n != b.size() || n < 3) return own;
  std::array<std::int64_t, 3> thirds{};
  for (std::size_t third = 0; third < 3; ++third) {
    std::vector<std::int64_t> changes;
    for (std::size_t i = n * third / 3; i < n * (third + 1) / 3; ++i)
      changes.push_back(static_cast<std::int64_t>(b[i]) - static_cast<std::int64_t>(a[i]));
    const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
    std::ranges::nth_element(changes, middle);
    thirds[third] = *middle;
  }
  const auto [least, most] = std::ranges::minmax(thirds);
  return std::min(own, static_cast<std::uint64_t>(most - least));
}

double rank_test(const Times& a, const Times& b) {
  if (a.empty() || b.empty()) return 1;
  const Times &fewer = a.size() <= b.size() ? a : b, &more = a.size() <= b.size() ? b : a;
  Times all = fewer;
  all.insert(all.end(), more.begin(), more.end());
  const std::vector<std::uint32_t> ranks = doubled_ranks(all);
  const std::size_t k = fewer.size();
  const std::uint64_t sum = std::accumulate(
      ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(k), std::uint64_t{0});
  // Exact up to some 14 and 14; there the normal distribution is within a hundredth of it.
  const bool is_short = static_cast<double>(k) * std::pow(all.size(), 3) < 4e5;
  double p = is_short ? exact_p(ranks, k, sum) : approximate_p(ranks, k, sum);
  // Interruptions hide from all ranks what the least disturbed passes show. Two tests, so twice the
  // smaller p; of few times neither could be significant then.
  if (k >= steady_times) p = std::min(1.0, 2 * std::min(p, precedence_p(fewer, more)));
  return are_far_apart(a, b) || are_beyond_noise(a, b)
             ? p
             : two_sided_p(z_of(p) / std::sqrt(inflation(a, b)));
}

double sign_test(const Times& a, const Times& b) {
  const std::size_t n = std::min(a.size(), b.size());
  std::size_t larger = 0, pairs = 0;
  // Differences, moved up so that they are times: only their order counts.
  const std::uint64_t most = n == 0 ? 0 : *std::ranges::max_element(a);
  Times differences;
  for (std::size_t i = 0; i < n; ++i) {
    pairs += a[i] != b[i];
    larger += a[i] < b[i];
    differences.push_back(b[i] + (most - a[i]));
  }
  double tail = 0;
  for (std::size_t k = std::max(larger, pairs - larger); k <= pairs; ++k)
    tail += std::exp(log_choices(pairs, k) - static_cast<double>(pairs) * std::numbers::ln2);
  const double p = std::min(1.0, 2 * tail);
  return two_sided_p(z_of(p) / std::sqrt(inflation(differences, differences)));
}

double trend_test(const Times& times) {
  const std::size_t n = times.size();
  if (n < fewest_times) return 1;
  const std::vector<std::uint32_t> ranks = doubled_ranks(times);
  const double middle = (static_cast<double>(n) - 1) / 2, mean = static_cast<double>(n) + 1;
  double products = 0, of_ranks = 0, of_numbers = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) - middle, y = ranks[i] - mean;
    products += x * y;
    of_numbers += x * x;
    of_ranks += y * y;
  }
  if (of_ranks <= 0) return 1;
  // What is left of the ranks without the trend, moved up and made finer so that they are times.
  Times rest;
  for (std::size_t i = 0; i < n; ++i) {
    const double fitted = products / of_numbers * (static_cast<double>(i) - middle);
    rest.push_back(static_cast<std::uint64_t>(
        std::llround(1000 * (ranks[i] - mean - fitted + 4 * static_cast<double>(n)))));
  }
  const double correlation = products / std::sqrt(of_numbers * of_ranks);
  return two_sided_p(correlation * std::sqrt(static_cast<double>(n) - 1) /
                     std::sqrt(inflation(rest, rest)));
}

Times at_one_pace(const Times& times, const std::vector<double>& pace) {
  Times list = times;
  if (pace.size() == list.size())
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i] = static_cast<std::uint64_t>(static_cast<double>(list[i]) / pace[i]);
  return list;
}

DiffTime compare(const Times& a, const Times& b, const Least& least, const Pace& pace) {
  DiffTime time{.ns_a = median_of(a),
                .ns_b = median_of(b),
                .spread_a_ns = spread_of(a),
                .spread_b_ns = spread_of(b)};
  const Times paced_a = at_one_pace(a, pace.a), paced_b = at_one_pace(b, pace.b);
  const auto larger = static_cast<double>(std::max(time.ns_a, time.ns_b));
  const std::size_t fewer = std::min(a.size(), b.size());
  if (fewer >= fewest_times) time.p = rank_test(paced_a, paced_b);
  // What whole passes drift by tells nothing that such a time leaves open.
  const double of_passes = are_beyond_noise(paced_a, paced_b) ? 0 : least.drift * larger;
  const double drift =
      std::max(static_cast<double>(drift_between(paced_a, paced_b, time.p)), of_passes);
  const double of_machine = (fewer < steady_times ? least_part_of_few : least_part) + least.common;
  const double part = std::max(of_machine, least.part);
  const auto little = std::max(least.ns, static_cast<std::uint64_t>(part * larger));
  time.floor_ns = std::max(little, static_cast<std::uint64_t>(least.margin * drift));
  time.shift_ns = static_cast<std::int64_t>(undisturbed(paced_b)) -
                  static_cast<std::int64_t>(undisturbed(paced_a));
  time.least_ns = little;
  time.is_small = time.p && *time.p <= significance &&
                  static_cast<std::uint64_t>(std::abs(time.shift_ns)) <= little;
  time.passes_needed = times_needed(paced_a, paced_b, drift);
  return time;
}

bool is_significant_alone(const DiffTime& time) {
  return time.p && *time.p <= significance && exceeds_floor(time);
}

void judge(std::span<DiffTime* const> family) {
  std::vector<DiffTime*> tested;
  for (DiffTime* time : family)
    if (time->p) tested.push_back(time);
  std::ranges::stable_sort(tested, {}, [](const DiffTime* time) { return *time->p; });
  std::size_t found = 0;
  for (std::size_t i = 0; i < tested.size(); ++i)
    if (*tested[i]->p * static_cast<double>(tested.size()) <=
        significance * static_cast<double>(i + 1))
      found = i + 1;
  for (std::size_t i = 0; i < found; ++i) tested[i]->significant = exceeds_floor(*tested[i]);
  for (DiffTime* time : family)
    if (time->significant) time->passes_needed.reset();
}

}  // namespace reel::analysis
