// forward_pass_modes.hpp - a small decoder's forward pass: call by call, recorded, as a graph.
#pragma once

#include "reel/device.hpp"
#include "shared/harness.hpp"

namespace bench {

// One pass generates one token. Every mode must generate the tokens that a run of its own,
// made call by call, gave before.
Group forward_pass_group(const reel::Device& device);

}  // namespace bench
