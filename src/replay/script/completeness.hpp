// completeness.hpp - whether a document holds all that was recorded.
#pragma once

#include <string>
#include <vector>

#include "reel/trace.hpp"

namespace reel::rerun {

// What of it is missing or damaged, a sentence each; none: it is whole. What is missing may be an
// input, a wait or a check, so nothing that such a document gives is proved.
std::vector<std::string> missing_parts(const Trace& trace);

}  // namespace reel::rerun
