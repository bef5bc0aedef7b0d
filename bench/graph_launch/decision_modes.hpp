// decision_modes.hpp - nodes that decide against a program that reads the condition and decides.
#pragma once

#include <vector>

#include "reel/reel.hpp"
#include "shared/harness.hpp"

namespace bench {

// A loop of 16 rounds, a loop of one, and a choice; a "node" of the result is one round, or choice.
std::vector<Group> decision_groups(const reel::Device& device);

}  // namespace bench
