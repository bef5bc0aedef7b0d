#include "analysis/ranks/lateness.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace reel::analysis {

namespace {

using Differences = std::vector<std::int64_t>;

Differences minus(const Times& a, const Times& b) {
  Differences list;
  for (std::size_t i = 0; i < a.size(); ++i)
    list.push_back(static_cast<std::int64_t>(a[i]) - static_cast<std::int64_t>(b[i]));
  return list;
}

std::int64_t middle_of(Differences list) {
  if (list.empty()) return 0;
  std::ranges::sort(list);
  const std::size_t middle = list.size() / 2;
  return list.size() % 2 ? list[middle] : (list[middle - 1] + list[middle]) / 2;
}

std::int64_t spread_of(Differences list) {  // half the interquartile range
  std::ranges::sort(list);
  return (list[list.size() * 3 / 4] - list[list.size() / 4]) / 2;
}

struct Part {
  std::size_t begin = 0, end = 0;
};
Part third_of(std::size_t size, std::size_t third) {
  return {size * third / 3, size * (third + 1) / 3};
}
template <class List>
List part_of(const List& list, Part part) {
  return List(list.begin() + static_cast<std::ptrdiff_t>(part.begin),
              list.begin() + static_cast<std::ptrdiff_t>(part.end));
}

// Noise that lasts over several steps is in all of few: 1/n keeps claims below one in twenty of
// runs without a straggler (tests/analysis/ranks_test.cpp), 25 % of a step with the fewest.
double least_part_of(std::size_t steps) {
  return std::max(least_part, 1 / static_cast<double>(steps));
}

// What of a rank's steps the cause is looked for in: all of them, or where drift has led to.
Part late_part(const StepTable& table, const RankReport& rank) {
  const std::size_t n = table.counted().size();
  return rank.lateness == Lateness::drift ? third_of(n, 2) : Part{0, n};
}

// By row: what it took in all counted steps, by rank. One walk over all that is kept.
using RowSums = std::map<RankRow, Times>;
RowSums sums_of(const StepTable& table) {
  RowSums sums;
  for (std::size_t r = 0; r < table.ranks(); ++r) {
    const RankSteps& document = table.document(r);
    if (!table.compared()[r]) continue;
    Times own(document.rows.size(), 0);
    for (const std::uint32_t s : table.counted())
      for (const auto& [row, ns] : document.steps[s].parts) own[row] += ns;
    for (std::size_t row = 0; row < own.size(); ++row) {
      Times& list = sums[document.rows[row]];
      list.resize(table.ranks(), 0);
      list[r] = own[row];
    }
  }
  return sums;
}

std::uint64_t usual_of(const StepTable& table, const Times& by_rank, std::size_t without) {
  Times others;
  for (std::size_t r = 0; r < by_rank.size(); ++r)
    if (r != without && table.compared()[r]) others.push_back(by_rank[r]);
  return median_of(others);
}

// Rows of the rank that take longer than the others', by their sums: the most likely ones first.
std::vector<RankRow> likely_rows(const StepTable& table, const RowSums& sums, std::size_t r) {
  std::vector<std::pair<double, RankRow>> order;
  for (const auto& [row, list] : sums) {
    if (row.kind == RankRow::Kind::collective) continue;  // in them ranks wait
    if (table.waits_within() && row.kind == RankRow::Kind::gap) continue;
    order.emplace_back(static_cast<double>(usual_of(table, list, r)) - static_cast<double>(list[r]),
                       row);
  }
  std::ranges::sort(order);
  std::vector<RankRow> rows;
  if (table.waits_recorded() || (table.clock() == RanksClock::known && !table.waits_within()))
    rows.push_back({RankRow::Kind::gap, ""});
  if (table.waits_recorded()) rows.push_back({RankRow::Kind::after, ""});
  constexpr std::size_t most_looked_at = 12;
  for (std::size_t i = 0; i < order.size() && i < most_looked_at; ++i)
    rows.push_back(order[i].second);
  return rows;
}

// All kernels that have a hundredth of the time take longer, each at least half as much as all of
// it does: the device is slower, not a kernel.
std::optional<double> slower_by(const StepTable& table, const RowSums& sums, std::size_t r,
                                Part part, double factor) {
  std::vector<double> factors;
  for (const auto& [row, list] : sums) {
    const std::uint64_t all = usual_of(table, list, r);
    if (row.kind != RankRow::Kind::kernel ||
        all * 100 < table.level_ns() * table.counted().size() || all == 0)
      continue;
    const std::vector<Times> times = table.times_of(row);
    const auto own = static_cast<double>(median_of(part_of(times[r], part)));
    const auto usual =
        static_cast<double>(median_of(part_of(medians_without(times, r, table.compared()), part)));
    factors.push_back(usual > 0 ? own / usual : 1);
  }
  if (factors.size() < 3) return std::nullopt;
  std::ranges::sort(factors);
  if (factors.front() - 1 < (factor - 1) / 2) return std::nullopt;
  return factors[factors.size() / 2];
}

}  // namespace

void judge_ranks(const StepTable& table, std::vector<RankReport>& ranks) {
  const std::size_t n = table.counted().size();
  const auto level = static_cast<double>(table.level_ns());
  const auto tested = static_cast<double>(std::ranges::count(table.compared(), true));
  const auto least = static_cast<std::int64_t>(least_part_of(n) * level);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (!table.compared()[r] || tested < 2) continue;
    RankReport& rank = ranks[r];
    const Times own = table.own_of(r), others = table.others_of(r);
    const Differences excess = minus(own, others);
    rank.excess_ns = middle_of(excess);
    std::array<std::int64_t, 3> thirds{};
    for (std::size_t third = 0; third < 3; ++third)
      thirds[third] = middle_of(part_of(excess, third_of(n, third)));
    rank.excess_first_ns = thirds[0];
    rank.excess_last_ns = thirds[2];
    if (n < fewest_times) continue;
    const auto [lowest, highest] = std::ranges::minmax(thirds);
    rank.floor_ns = static_cast<std::uint64_t>(
        std::max(static_cast<double>(least), drift_margin * static_cast<double>(highest - lowest)));
    rank.p = std::min(1.0, sign_test(others, own) * tested);
    if (*rank.p <= significance && rank.excess_ns > static_cast<std::int64_t>(rank.floor_ns) &&
        lowest > least)
      rank.lateness = Lateness::imbalance;

    // Drift: what it takes longer grows from third to third, and by more than half of all of it.
    if (n < steady_times) continue;
    Times moved;
    const std::int64_t smallest = *std::ranges::min_element(excess);
    for (const std::int64_t e : excess) moved.push_back(static_cast<std::uint64_t>(e - smallest));
    const std::int64_t grown = thirds[2] - thirds[0];
    if (trend_test(moved) * tested <= significance && grown > 2 * least &&
        grown * 2 > rank.excess_ns && thirds[2] > 2 * least && thirds[1] - thirds[0] > grown / 5 &&
        thirds[2] - thirds[1] > grown / 5)
      rank.lateness = Lateness::drift;
  }
}

LateCause cause_of(const StepTable& table, std::size_t r, const RankReport& rank) {
  // One thing explains it if it has so much of it.
  constexpr double enough = 2.0 / 3;
  LateCause cause;
  const Part part = late_part(table, rank);
  const auto all =
      static_cast<double>(middle_of(part_of(minus(table.own_of(r), table.others_of(r)), part)));
  const RowSums sums = sums_of(table);
  std::vector<std::pair<LateRow, double>> found;  // with its p
  for (const RankRow& row : likely_rows(table, sums, r)) {
    const std::vector<Times> lists = table.times_of(row);
    const Times own = part_of(lists[r], part);
    const Times others = part_of(medians_without(lists, r, table.compared()), part);
    LateRow late{row, median_of(own), median_of(others), middle_of(minus(own, others))};
    late.share = all > 0 ? static_cast<double>(late.excess_ns) / all : 0;
    if (late.excess_ns > 0) found.emplace_back(late, sign_test(others, own));
  }
  std::ranges::stable_sort(found, std::greater{},
                           [](const auto& entry) { return entry.first.excess_ns; });
  constexpr std::size_t most_told = 5;
  for (std::size_t i = 0; i < found.size() && i < most_told; ++i)
    cause.rows.push_back(found[i].first);
  if (!found.empty() && found.front().first.share >= enough &&
      found.front().second <= significance) {
    cause.kind = LateCause::Kind::row;
    return cause;
  }
  const auto usual = static_cast<double>(median_of(part_of(table.others_of(r), part)));
  if (usual > 0) cause.factor = slower_by(table, sums, r, part, 1 + all / usual);
  if (cause.factor) cause.kind = LateCause::Kind::all_kernels;
  return cause;
}

std::vector<OneOff> find_one_offs(const StepTable& table, const std::vector<RankReport>& ranks) {
  std::vector<OneOff> list;
  const std::size_t n = table.counted().size();
  if (n < fewest_times) return list;
  for (std::size_t r = 0; r < table.ranks(); ++r) {
    if (!table.compared()[r]) continue;
    const Differences excess = minus(table.own_of(r), table.others_of(r));
    const std::int64_t usual = middle_of(excess);
    const std::int64_t far =
        std::max(10 * spread_of(excess), static_cast<std::int64_t>(table.level_ns() / 4));
    std::vector<OneOff> its;
    for (std::size_t i = 0; i < n; ++i)
      if (excess[i] - usual > far)
        its.push_back(
            {ranks[r].rank, table.counted()[i], static_cast<std::uint64_t>(excess[i] - usual), {}});
    // What happens in more than a tenth of its steps isn't one-off.
    if (its.size() > std::max<std::size_t>(1, n / 10)) continue;
    list.insert(list.end(), its.begin(), its.end());
  }
  std::ranges::stable_sort(list, std::greater{}, &OneOff::excess_ns);
  constexpr std::size_t most_told = 10, most_explained = 3;
  if (list.size() > most_told) list.resize(most_told);
  const RowSums sums = list.empty() ? RowSums{} : sums_of(table);
  for (std::size_t i = 0; i < list.size() && i < most_explained; ++i) {
    OneOff& one = list[i];
    const auto at = static_cast<std::size_t>(std::ranges::lower_bound(table.counted(), one.step) -
                                             table.counted().begin());
    const auto r = static_cast<std::size_t>(std::ranges::find(ranks, one.rank, &RankReport::rank) -
                                            ranks.begin());
    for (const RankRow& row : likely_rows(table, sums, r)) {
      const std::vector<Times> lists = table.times_of(row);
      const std::uint64_t own = lists[r][at];
      const std::uint64_t usual = medians_without(lists, r, table.compared())[at];
      if (own <= usual) continue;
      LateRow late{row, own, usual, static_cast<std::int64_t>(own - usual)};
      late.share = static_cast<double>(own - usual) / static_cast<double>(one.excess_ns);
      if (late.share > 0.5 && (!one.row || late.excess_ns > one.row->excess_ns)) one.row = late;
    }
  }
  return list;
}

}  // namespace reel::analysis
