// argument_modes.hpp - what it costs to change one argument of a GraphExec.
#pragma once

#include <vector>

#include "reel/reel.hpp"
#include "shared/harness.hpp"

namespace bench {

// The exec has so many nodes; a "node" of the result is one call of set_argument.
std::vector<Group> argument_groups(std::uint32_t nodes, const reel::Device& device);

}  // namespace bench
