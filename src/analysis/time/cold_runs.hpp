// cold_runs.hpp - first runs of kernels that took far longer than later ones like them.
//
// Memory that is used for the first time, empty caches and code that a driver compiles at the first
// launch take time that isn't the kernel's. A document shows only that such runs took longer; what
// is said of a kernel's speed must not rest on them.
#pragma once

#include <cstdint>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

// A run that took this long, where the median of its like is `usual_ns`.
inline bool is_far_longer(std::uint64_t ns, std::uint64_t usual_ns) {
  constexpr std::uint64_t many_times = 3, least_excess_ns = 1000;
  return ns > many_times * usual_ns && ns - usual_ns >= least_excess_ns;
}

// Of one kernel. Runs are alike where they have the same device, launch size and number of bytes.
struct WarmUp {
  std::uint64_t cold_ns = 0, other_ns = 0;  // in cold runs, and in all others
  std::uint32_t cold_runs = 0, other_runs = 0;
  std::uint32_t longest = no_index;  // command: the cold run that took longest
  std::uint64_t longest_ns = 0;      // what it took,
  std::uint64_t like_it_ns = 0;      // and the median of runs like it
};

class ColdRuns {
 public:
  ColdRuns() = default;
  explicit ColdRuns(const Trace& trace);

  bool contains(std::uint32_t command) const {
    return command < is_cold_.size() && is_cold_[command];
  }
  const WarmUp& of_kernel(std::uint32_t kernel) const { return kernels_[kernel]; }
  std::uint64_t total_ns() const noexcept { return total_ns_; }

 private:
  std::vector<bool> is_cold_;  // by command; empty: none is
  std::vector<WarmUp> kernels_;
  std::uint64_t total_ns_ = 0;
};

}  // namespace reel::analysis
