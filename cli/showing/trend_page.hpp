// trend_page.hpp - the lines of a trend as one HTML file that needs nothing else.
#pragma once

#include <string>

#include "reel/trend.hpp"

namespace reel::cli {

// A chart for each line that changed, and of the first others, with a table of what changed.
std::string trend_page(const analysis::Trend& trend, const std::string& by);

}  // namespace reel::cli
