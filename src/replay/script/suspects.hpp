// suspects.hpp - which unchecked commands fed one that gave a wrong result.
#pragma once

#include <functional>
#include <vector>

#include "reel/trace.hpp"

namespace reel::rerun {

// Commands before `command` whose results it used, directly or through others, and that no good
// check covers. Empty: what it read was checked, so it is the one that differs. At most 1000.
std::vector<std::uint32_t> unchecked_sources(
    const Trace& trace, std::uint32_t command,
    const std::function<bool(std::uint32_t contents)>& is_good);

}  // namespace reel::rerun
