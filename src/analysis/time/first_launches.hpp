// first_launches.hpp - launches in which the driver most likely finished building a kernel.
//
// Drivers compile a kernel for a group size when it is first launched in that size, and no call
// tells. A first launch that takes far longer than those after it is taken for that.
#pragma once

#include <vector>

#include "analysis/time/host_calls.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

// Such gaps get the cause build; they name no call, which tells them from builds that were seen.
void find_builds_at_launch(const Trace& trace, const HostCalls& calls, std::vector<Gap>& gaps);

inline bool is_inferred_build(const Gap& gap) {
  return gap.cause == IdleCause::build && gap.call == no_index;
}

}  // namespace reel::analysis
