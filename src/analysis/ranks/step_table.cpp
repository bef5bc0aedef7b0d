#include "analysis/ranks/step_table.hpp"

#include <algorithm>
#include <limits>

namespace reel::analysis {

Times medians_without(const std::vector<Times>& lists, std::size_t without,
                      const std::vector<bool>& is_other) {
  Times medians, column;
  for (std::size_t i = 0; i < lists[without].size(); ++i) {
    column.clear();
    for (std::size_t r = 0; r < lists.size(); ++r)
      if (r != without && is_other[r]) column.push_back(lists[r][i]);
    medians.push_back(median_of(column));
  }
  return medians;
}

StepTable::StepTable(const std::vector<RankSteps>& documents) : documents_(documents) {
  for (const RankSteps& document : documents_) steps_ = std::max(steps_, document.steps.size());
  choose_compared();
  find_own();
  find_recorded();
  if (!waits_recorded_) find_waits_within();
  find_clock();
  if (clock_ == RanksClock::known && !waits_within_ && !waits_recorded_) add_late_starts();
  Times medians;
  for (std::size_t r = 0; r < ranks(); ++r)
    if (compared_[r]) medians.push_back(median_of(own_of(r)));
  level_ns_ = median_of(medians);
  for (const std::uint32_t s : counted_) {
    Times& column = sorted_.emplace_back();
    for (std::size_t r = 0; r < ranks(); ++r)
      if (compared_[r]) column.push_back(own_[r][s]);
    std::ranges::sort(column);
  }
  find_waiting();
}

const RankStep* StepTable::step(std::size_t r, std::size_t s) const noexcept {
  const std::vector<RankStep>& steps = documents_[r].steps;
  return s < steps.size() && steps[s].has_times() ? &steps[s] : nullptr;
}

void StepTable::choose_compared() {
  Times timed;
  for (std::size_t r = 0; r < ranks(); ++r) {
    timed.push_back(0);
    for (std::size_t s = 0; s < steps_; ++s) timed.back() += step(r, s) != nullptr;
  }
  const std::uint64_t usual = median_of(timed);
  for (std::size_t r = 0; r < ranks(); ++r)
    compared_.push_back(timed[r] > 0 && timed[r] * 2 >= usual);
  for (std::uint32_t s = 0; s < steps_; ++s) {
    bool all = std::ranges::find(compared_, true) != compared_.end();
    for (std::size_t r = 0; r < ranks(); ++r) all = all && (!compared_[r] || step(r, s));
    if (all) counted_.push_back(s);
  }
  if (counted_.size() > 2 && counted_.front() == 0) counted_.erase(counted_.begin());
}

// A collective takes as long as nobody's in the rank that comes last: what it takes longer in the
// others is waiting.
void StepTable::find_own() {
  own_.assign(ranks(), std::vector<std::uint64_t>(steps_, no_time));
  for (std::size_t s = 0; s < steps_; ++s) {
    std::uint64_t least = no_time;
    for (std::size_t r = 0; r < ranks(); ++r)
      if (const RankStep* its = step(r, s)) least = std::min(least, its->collective_ns);
    for (std::size_t r = 0; r < ranks(); ++r)
      if (const RankStep* its = step(r, s))
        own_[r][s] = its->took_ns() - (its->collective_ns - least);
  }
}

bool StepTable::is_recorded(std::size_t s) const {
  for (std::size_t r = 0; r < ranks(); ++r)
    if (compared_[r] && !(step(r, s) && step(r, s)->is_recorded())) return false;
  return true;
}

// Calls of MPI tell what was waited for others: what a rank is in them, its device being idle,
// longer than the rank that is so least. The rest is its own, its host's time among it. The last
// step has no end in them.
void StepTable::find_recorded() {
  std::size_t without = 0;
  for (const std::uint32_t s : counted_) without += !is_recorded(s);
  if (counted_.size() < 2 || without > std::max<std::size_t>(1, counted_.size() / 10)) return;
  waits_recorded_ = true;
  before_.assign(ranks(), std::vector<std::uint64_t>(steps_, 0));
  after_ = before_;
  for (std::size_t s = 0; s < steps_; ++s) {
    if (!is_recorded(s)) continue;
    const std::uint64_t least = least_mpi_ns(s);
    for (std::size_t r = 0; r < ranks(); ++r) {
      if (!compared_[r]) continue;
      const RankStep& its = *step(r, s);
      // What own_ leaves out of collectives is none of its own here either.
      const std::uint64_t waited = its.took_ns() - own_[r][s] + its.mpi_ns - least;
      const std::uint64_t all = its.until_ns - its.begin_ns;
      own_[r][s] = all > waited ? all - waited : 0;
      before_[r][s] = its.started_ns - std::min(its.started_ns, its.begin_ns);
      after_[r][s] = its.after_ns;
    }
  }
}

std::uint64_t StepTable::least_mpi_ns(std::size_t s) const {
  std::uint64_t least = no_time;
  for (std::size_t r = 0; r < ranks(); ++r)
    if (compared_[r]) least = std::min(least, step(r, s)->mpi_ns);
  return least;
}

// Where the host waits for other ranks in the middle of steps, all steps take equally long, and
// only busy time tells who worked longer.
void StepTable::find_waits_within() {
  const auto busy = [&](std::size_t r, std::size_t s) {
    const RankStep* its = step(r, s);
    return its ? its->busy_ns - its->collective_ns : no_time;
  };
  Times own, work;
  for (std::size_t r = 0; r < ranks(); ++r) {
    if (!compared_[r]) continue;
    own.push_back(median_of(own_of(r)));
    Times list;
    for (const std::uint32_t s : counted_) list.push_back(busy(r, s));
    work.push_back(median_of(list));
  }
  if (work.size() < 2) return;
  const auto most = static_cast<std::size_t>(std::ranges::max_element(work) - work.begin());
  const std::uint64_t more = work[most] - median_of(work);
  const std::uint64_t usual = median_of(own);
  const std::uint64_t longer = own[most] > usual ? own[most] - usual : 0;
  if (static_cast<double>(more) <= least_part * static_cast<double>(usual) || longer * 2 >= more)
    return;
  waits_within_ = true;
  for (std::size_t r = 0; r < ranks(); ++r)
    for (std::size_t s = 0; s < steps_; ++s) own_[r][s] = busy(r, s);
}

// The error between two ranks is at most the sum of the two largest: of the clocks, and of their
// devices' times.
void StepTable::find_clock() {
  std::vector<ClockSource> sources;
  for (const RankSteps& document : documents_) sources.push_back(document.clock);
  const std::vector<CommonClock> clocks = common_clocks(sources);
  std::uint64_t largest = 0, second = 0;
  started_.assign(ranks(), std::vector<std::int64_t>(steps_, 0));
  ended_ = started_;
  for (std::size_t r = 0; r < ranks(); ++r) {
    if (!documents_[r].clock_error_ns) return;
    std::uint64_t error = *documents_[r].clock_error_ns;
    for (std::size_t s = 0; s < steps_; ++s) {
      const RankStep* its = step(r, s);
      if (!its) continue;
      const auto started = clocks[r].at(its->started_ns), ended = clocks[r].at(its->ended_ns);
      if (!started || !ended || !started->error_ns || !ended->error_ns) return;
      started_[r][s] = started->ns;
      ended_[r][s] = ended->ns;
      error = std::max(
          error, *documents_[r].clock_error_ns + std::max(*started->error_ns, *ended->error_ns));
    }
    second = std::max(second, std::min(largest, error));
    largest = std::max(largest, error);
  }
  clock_error_ns_ = largest + second;
  Times skews;
  for (const std::uint32_t s : counted_) {
    Times ends;
    for (std::size_t r = 0; r < ranks(); ++r)
      if (compared_[r]) ends.push_back(static_cast<std::uint64_t>(ended_[r][s]));
    const auto [first, last] = std::ranges::minmax(ends);
    skews.push_back(last - first);
  }
  clock_ = *clock_error_ns_ < median_of(skews) ? RanksClock::known : RanksClock::too_wide;
}

// By a common clock it is known when all were done with the step before. A rank that starts the
// next one later than the others do is late by that: its host was, since its device had nothing to
// do.
void StepTable::add_late_starts() {
  std::vector<std::vector<std::uint64_t>> late(ranks(), std::vector<std::uint64_t>(steps_, 0));
  std::size_t after = 0, all = 0;
  for (std::size_t s = 1; s < steps_; ++s) {
    std::int64_t released = std::numeric_limits<std::int64_t>::min();
    bool is_whole = true;
    for (std::size_t r = 0; r < ranks(); ++r) {
      if (!compared_[r]) continue;
      is_whole = is_whole && step(r, s) && step(r, s - 1);
      if (is_whole) released = std::max(released, ended_[r][s - 1]);
    }
    if (!is_whole) continue;
    std::uint64_t least = no_time;
    for (std::size_t r = 0; r < ranks(); ++r) {
      if (!compared_[r]) continue;
      const std::int64_t late_by = started_[r][s] - released;
      after += late_by + static_cast<std::int64_t>(*clock_error_ns_) >= 0;
      ++all;
      late[r][s] = late_by > 0 ? static_cast<std::uint64_t>(late_by) : 0;
      least = std::min(least, late[r][s]);
    }
    for (std::size_t r = 0; r < ranks(); ++r)
      if (compared_[r]) late[r][s] -= least;
  }
  // Who begins before the others are done didn't wait for them there.
  if (after * 10 < all * 9) return;
  before_ = std::move(late);
  for (std::size_t r = 0; r < ranks(); ++r)
    for (std::size_t s = 0; s < steps_; ++s)
      if (own_[r][s] != no_time) own_[r][s] += before_[r][s];
}

std::uint64_t StepTable::before_ns(std::size_t r, std::size_t s) const noexcept {
  return before_.empty() ? 0 : before_[r][s];
}

// A rank waits for as long as the last one works longer, and never for longer than it was idle.
void StepTable::find_waiting() {
  waiting_.assign(ranks(), std::vector<std::uint64_t>(steps_, no_time));
  for (std::size_t s = 0; s < steps_; ++s) {
    const auto slowest = last(s);
    if (!slowest) continue;
    const bool is_told = waits_recorded_ && is_recorded(s);
    const std::uint64_t least = is_told ? least_mpi_ns(s) : 0;
    for (std::size_t r = 0; r < ranks(); ++r) {
      if (!compared_[r]) continue;
      if (is_told) {
        waiting_[r][s] = step(r, s)->mpi_ns - least;
        continue;
      }
      std::uint64_t waits = own_[*slowest][s] - own_[r][s];
      if (const RankStep* next = step(r, s + 1)) {
        const std::uint64_t cycle = next->started_ns - step(r, s)->started_ns + before_ns(r, s);
        waits = std::min(waits, cycle > own_[r][s] ? cycle - own_[r][s] : 0);
      }
      waiting_[r][s] = waits;
    }
  }
}

Times StepTable::own_of(std::size_t r) const {
  Times list;
  for (const std::uint32_t s : counted_)
    if (own_[r][s] != no_time) list.push_back(own_[r][s]);
  return list;
}

// Each column is sorted once for all ranks, so that many ranks cost no more than their steps.
Times StepTable::others_of(std::size_t r) const {
  Times list;
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    const Times& column = sorted_[i];
    const std::size_t others = column.size() - 1;
    const auto mine = static_cast<std::size_t>(
        std::ranges::lower_bound(column, own_[r][counted_[i]]) - column.begin());
    const auto at = [&](std::size_t place) { return column[place + (place >= mine)]; };
    const std::uint64_t upper = others == 0 ? column[mine] : at(others / 2);
    const std::uint64_t lower = others % 2 || others == 0 ? upper : at(others / 2 - 1);
    list.push_back(lower + (upper - lower) / 2);
  }
  return list;
}

std::vector<Times> StepTable::times_of(const RankRow& row) const {
  std::vector<Times> lists;
  const bool is_start = row.kind == RankRow::Kind::gap && row.name.empty();
  const bool is_after = row.kind == RankRow::Kind::after && !after_.empty();
  for (std::size_t r = 0; r < ranks(); ++r) {
    const auto& rows = documents_[r].rows;
    const auto number = static_cast<std::uint32_t>(std::ranges::find(rows, row) - rows.begin());
    Times list;
    for (const std::uint32_t s : counted_) {
      list.push_back(is_start ? before_ns(r, s) : is_after ? after_[r][s] : 0);
      if (const RankStep* its = step(r, s))
        for (const auto& [of, ns] : its->parts)
          if (of == number) list.back() += ns;
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

Times StepTable::cycles_of(std::size_t r) const {
  Times list;
  for (const std::uint32_t s : counted_) {
    const RankStep *its = step(r, s), *next = step(r, s + 1);
    if (its && next) list.push_back(next->started_ns - its->started_ns);
  }
  return list;
}

std::optional<std::uint32_t> StepTable::last(std::size_t s) const {
  std::optional<std::uint32_t> slowest;
  for (std::uint32_t r = 0; r < ranks(); ++r) {
    if (!compared_[r]) continue;
    if (own_[r][s] == no_time) return std::nullopt;
    if (!slowest || own_[r][s] > own_[*slowest][s]) slowest = r;
  }
  return slowest;
}

std::uint64_t StepTable::skew_ns(std::size_t s) const {
  const auto slowest = last(s);
  if (!slowest) return 0;
  std::uint64_t least = no_time;
  for (std::size_t r = 0; r < ranks(); ++r)
    if (compared_[r]) least = std::min(least, own_[r][s]);
  return own_[*slowest][s] - least;
}

std::vector<std::uint32_t> StepTable::arrivals(std::size_t s) const {
  std::vector<std::uint32_t> order;
  if (clock_ == RanksClock::none || !last(s)) return order;
  for (std::uint32_t r = 0; r < ranks(); ++r)
    if (compared_[r]) order.push_back(r);
  const auto ended = [&](std::uint32_t r) { return ended_[r][s]; };
  std::ranges::stable_sort(order, {}, ended);
  if (ended(order.back()) - ended(order.front()) <= static_cast<std::int64_t>(*clock_error_ns_))
    order.clear();
  return order;
}

}  // namespace reel::analysis
