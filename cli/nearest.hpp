// nearest.hpp - what somebody probably meant to type.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reel::cli {

// The candidate that differs by the fewest letters; none when all differ by more than a third of
// their length or so, where a guess is no help.
std::optional<std::string> nearest(std::string_view typed,
                                   const std::vector<std::string>& candidates);

}  // namespace reel::cli
