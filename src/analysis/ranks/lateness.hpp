// lateness.hpp - which ranks are late, and what explains it. docs/many.md has the rules.
#pragma once

#include <vector>

#include "analysis/ranks/step_table.hpp"

namespace reel::analysis {

// Sets excess, p, floor, lateness and its thirds of each rank, in the order of the table.
void judge_ranks(const StepTable& table, std::vector<RankReport>& ranks);

LateCause cause_of(const StepTable& table, std::size_t r, const RankReport& rank);

// Steps that are far from what is usual for their rank; the longest first.
std::vector<OneOff> find_one_offs(const StepTable& table, const std::vector<RankReport>& ranks);

}  // namespace reel::analysis
