// step_table.hpp - steps of all ranks side by side: own work, and what was waited for others.
//
// Own work of a step is the time until a rank is done with it, without what it waits for others.
// docs/many.md has the definitions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/diff/statistics.hpp"
#include "analysis/ranks/rank_documents.hpp"

namespace reel::analysis {

class StepTable {
 public:
  explicit StepTable(const std::vector<RankSteps>& documents);

  std::size_t ranks() const noexcept { return documents_.size(); }
  std::size_t steps() const noexcept { return steps_; }
  const RankSteps& document(std::size_t r) const noexcept { return documents_[r]; }
  // no_time where a rank doesn't have the step, or not when it ran.
  std::uint64_t own_ns(std::size_t r, std::size_t s) const noexcept { return own_[r][s]; }
  std::uint64_t waiting_ns(std::size_t r, std::size_t s) const noexcept { return waiting_[r][s]; }
  const std::vector<std::vector<std::uint64_t>>& own() const noexcept { return own_; }
  const std::vector<std::vector<std::uint64_t>>& waiting() const noexcept { return waiting_; }

  // Ranks with at least half as many steps with times as the rank in the middle: the others are
  // shown, and not compared.
  const std::vector<bool>& compared() const noexcept { return compared_; }
  // Steps that all compared ranks have, without the first of three or more, which fills caches.
  const std::vector<std::uint32_t>& counted() const noexcept { return counted_; }
  // Of counted steps: this rank's, and the median of the other compared ranks'.
  Times own_of(std::size_t r) const;
  Times others_of(std::size_t r) const;
  // The time of one thing in counted steps, by rank; 0 where a step doesn't have it.
  std::vector<Times> times_of(const RankRow& row) const;
  // From the start of a counted step to the start of the next; fewer than those where it has none.
  Times cycles_of(std::size_t r) const;
  std::uint64_t level_ns() const noexcept { return level_ns_; }  // own work of the typical rank
  std::optional<std::uint32_t> last(std::size_t s) const;        // of the compared ranks
  std::uint64_t skew_ns(std::size_t s) const;
  std::vector<std::uint32_t> arrivals(std::size_t s) const;  // places; empty: clocks don't tell

  RanksClock clock() const noexcept { return clock_; }
  std::optional<std::uint64_t> clock_error_ns() const noexcept { return clock_error_ns_; }
  bool waits_within() const noexcept { return waits_within_; }
  bool waits_recorded() const noexcept { return waits_recorded_; }
  // All compared ranks have recorded calls of MPI there.
  bool is_recorded(std::size_t s) const;
  // By the clock or calls of MPI, no rank begins a step before all are done with the one before.
  bool is_seen_to_wait() const noexcept { return !before_.empty(); }

 private:
  const RankStep* step(std::size_t r, std::size_t s) const noexcept;
  void choose_compared();
  void find_own();
  void find_recorded();
  std::uint64_t least_mpi_ns(std::size_t s) const;
  void find_waits_within();
  void find_clock();
  void add_late_starts();
  void find_waiting();
  std::uint64_t before_ns(std::size_t r, std::size_t s) const noexcept;

  const std::vector<RankSteps>& documents_;
  std::vector<Times> sorted_;  // by counted step: own work of compared ranks, ascending
  std::size_t steps_ = 0;
  std::vector<bool> compared_;
  std::vector<std::uint32_t> counted_;
  std::vector<std::vector<std::uint64_t>> own_, waiting_;
  // What a host took for itself before a step's first command and after its last, by a common clock
  // or recorded calls of MPI.
  std::vector<std::vector<std::uint64_t>> before_, after_;
  std::vector<std::vector<std::int64_t>> started_, ended_;  // on the common clock, where one is
  std::uint64_t level_ns_ = 0;
  RanksClock clock_ = RanksClock::none;
  std::optional<std::uint64_t> clock_error_ns_;
  bool waits_within_ = false, waits_recorded_ = false;
};

// Of each step the median of the other lists' times, of lists that are as long as each other.
// Where `is_other` is false, a list doesn't count.
Times medians_without(const std::vector<Times>& lists, std::size_t without,
                      const std::vector<bool>& is_other);

}  // namespace reel::analysis
