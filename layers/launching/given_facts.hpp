// given_facts.hpp - facts of the run that `reel capture` is told, for the program's environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace reel::layer {

// The value of REEL_CAPTURE_FACTS for the program: `options` ("branch=main", one each, commas are
// themselves), and what this process has in that variable, unless an option names the same fact.
// Throws Error, with a sentence about the first that is none. Empty: there are none.
std::string facts_variable(const std::vector<std::string>& options);

// The rank of the process that is started, by these options or by who started us.
std::optional<std::string> given_rank(const std::vector<std::string>& options);

}  // namespace reel::layer
