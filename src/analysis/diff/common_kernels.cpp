#include "analysis/diff/common_kernels.hpp"

#include <algorithm>

namespace reel::analysis {

namespace {

constexpr std::size_t fewest_kernels = 3;

}  // namespace

CommonKernels::CommonKernels(const std::map<std::string, Times>& a,
                             const std::map<std::string, Times>& b, std::uint64_t busy_ns) {
  for (const auto& [name, times] : a) {
    const auto other = b.find(name);
    if (other == b.end()) continue;
    const Both both{&times, &other->second, static_cast<double>(undisturbed(times)),
                    static_cast<double>(undisturbed(other->second))};
    if (both.undisturbed_a * 100 < static_cast<double>(busy_ns)) continue;
    if (both.undisturbed_a > 0 && both.undisturbed_b > 0) kernels_.push_back(both);
  }
}

std::optional<double> CommonKernels::change() const {
  if (kernels_.size() < fewest_kernels) return std::nullopt;
  std::vector<double> changes;
  for (const Both& kernel : kernels_)
    changes.push_back(kernel.undisturbed_b / kernel.undisturbed_a - 1);
  const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
  std::ranges::nth_element(changes, middle);
  return *middle;
}

Pace CommonKernels::pace() const {
  if (kernels_.size() < fewest_kernels) return {};
  return {pace_of(&Both::a), pace_of(&Both::b)};
}

// Of each pass the lower decile of its kernels, each against its least disturbed time in either
// document: an interruption makes only some of them longer. And of neighbouring passes the lowest,
// since a pace that is too low makes a time look disturbed, as others are, while one that is too
// high makes it look shorter than it ever was.
std::vector<double> CommonKernels::pace_of(const Times* Both::*times) const {
  std::vector<double> one_by_one;
  const std::size_t passes = (kernels_[0].*times)->size();
  for (std::size_t pass = 0; pass < passes; ++pass) {
    std::vector<double> parts;
    for (const Both& kernel : kernels_)
      parts.push_back(static_cast<double>((*(kernel.*times))[pass]) /
                      std::min(kernel.undisturbed_a, kernel.undisturbed_b));
    const auto decile = parts.begin() + static_cast<std::ptrdiff_t>(parts.size() / 10);
    std::ranges::nth_element(parts, decile);
    one_by_one.push_back(std::clamp(*decile, 1 / most_by_machine, most_by_machine));
  }
  std::vector<double> lasting = one_by_one;
  for (std::size_t pass = 1; pass < passes; ++pass) {
    lasting[pass] = std::min(lasting[pass], one_by_one[pass - 1]);
    lasting[pass - 1] = std::min(lasting[pass - 1], one_by_one[pass]);
  }
  return lasting;
}

}  // namespace reel::analysis
