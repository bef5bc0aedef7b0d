// replay_span.hpp - a program of many commands, against the replay of what it recorded.
#pragma once

#include <vector>

#include "reel/reel.hpp"
#include "shared/harness.hpp"

namespace bench {

// How long the device was at work, as recorded and replayed in the recorded order; and how long all
// of it took, the program not captured.
std::vector<Group> replay_span_groups(const reel::Device& device, std::uint32_t commands);

}  // namespace bench
