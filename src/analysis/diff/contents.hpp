// contents.hpp - the first command that left different bytes in two documents.
#pragma once

#include "analysis/diff/side.hpp"

namespace reel::analysis {

// Fills in what was compared, and the first difference.
void compare_contents(const Side& a, const Side& b, TraceDiff& diff);

}  // namespace reel::analysis
