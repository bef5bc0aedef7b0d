// same_work.hpp - which ranks do the same work, by kernels, shapes and bytes of copies.
#pragma once

#include <string>
#include <vector>

#include "analysis/ranks/step_table.hpp"

namespace reel::analysis {

// Sets the work_group of each rank; group 0 is the largest. Sentences about how others differ from
// it, one a group.
std::vector<std::string> group_by_work(const StepTable& table, std::vector<RankReport>& ranks);

// How often a rank does `row` in a step, and how often ranks of group 0 do: "runs 12 times a step,
// 8 on the others"; empty: alike.
std::string difference_in(const StepTable& table, const std::vector<RankReport>& ranks,
                          std::size_t r, const RankRow& row);

// "ranks 0 to 5 and 7"
std::string ranks_text(const std::vector<std::uint32_t>& ranks);

}  // namespace reel::analysis
