// activity.hpp - find_activity() for who knows already how long commands ran.
#pragma once

#include <cstdint>
#include <span>

#include "reel/analysis.hpp"

namespace reel::analysis {

// `own_ns`: own_run_ns() of the same trace.
Activity find_activity(const Trace& trace, std::span<const std::uint64_t> own_ns);

}  // namespace reel::analysis
