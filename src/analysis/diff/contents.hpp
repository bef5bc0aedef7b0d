// contents.hpp - the first command after which two documents hold different bytes.
#pragma once

#include "analysis/diff/side.hpp"

namespace reel::analysis {

// Fills in what was compared, and the first difference. Passes are laid beside each other from the
// last one backwards: results are recorded at the end.
void compare_contents(const Side& a, const Side& b, TraceDiff& diff);

}  // namespace reel::analysis
