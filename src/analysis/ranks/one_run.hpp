// one_run.hpp - whether documents are of ranks that ran at the same time.
#pragma once

#include <string>
#include <vector>

#include "reel/ranks.hpp"

namespace reel::analysis {

// Why none of them can have waited for another: one had ended before the next began. A sentence;
// empty: they overlap, or no clock tells.
std::string why_not_one_run(const std::vector<RankSteps>& documents);

}  // namespace reel::analysis
