// statistics.hpp - times of several runs, in a few numbers.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "replay/run/runner.hpp"

namespace reel::rerun {

Spread spread_of(std::vector<double> values);

// The times of one kind of run (as recorded, or with other kernels), run after run.
class Timings {
 public:
  // Commands that are left out take no part.
  explicit Timings(Trace trace, std::set<std::uint32_t> left_out = {})
      : trace_(std::move(trace)), left_out_(std::move(left_out)) {}

  void add(const RunTimes& times);
  std::uint32_t runs() const noexcept { return static_cast<std::uint32_t>(spans_.size()); }
  Spread span() const { return spread_of(spans_); }
  std::vector<CommandTiming> commands(std::uint32_t from, std::uint32_t to) const;
  std::vector<KernelTiming> kernels(std::uint32_t from, std::uint32_t to) const;

 private:
  const Trace trace_;
  const std::set<std::uint32_t> left_out_;
  std::vector<double> spans_;
  std::vector<std::vector<std::uint64_t>> runs_;  // [run][command]: how long; 0: not known
};

}  // namespace reel::rerun
