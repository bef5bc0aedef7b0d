// common_kernels.hpp - what the kernels of two documents have in common: the machine.
//
// A neighbour or another clock slows all kernels of a pass alike, and lasts longer than a pass; a
// change of a program seldom does either.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/diff/statistics.hpp"

namespace reel::analysis {

// No clock and no neighbour does more than that to every pass.
inline constexpr double most_by_machine = 1.1;

class CommonKernels {
 public:
  // Times of kernels by name, one for each pass. Kernels with less than a hundredth of `busy_ns`,
  // the time of a pass, tell nothing.
  CommonKernels(const std::map<std::string, Times>& a, const std::map<std::string, Times>& b,
                std::uint64_t busy_ns);

  // How the typical kernel changed from a to b, as a part. None of fewer than three kernels: nobody
  // can tell what they have in common.
  std::optional<double> change() const;
  // How fast the machine was in each pass; none of fewer than three.
  Pace pace() const;

 private:
  struct Both {
    const Times *a = nullptr, *b = nullptr;
    double undisturbed_a = 0, undisturbed_b = 0;
  };

  std::vector<double> pace_of(const Times* Both::*times) const;

  std::vector<Both> kernels_;
};

}  // namespace reel::analysis
