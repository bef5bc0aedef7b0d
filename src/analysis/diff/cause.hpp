// cause.hpp - a difference in one sentence.
#pragma once

#include <string>

#include "analysis/diff/side.hpp"

namespace reel::analysis {

// Of a difference whose times are judged and in order.
std::string cause_of(const TraceDiff& diff, const Side& a, const Side& b);

}  // namespace reel::analysis
