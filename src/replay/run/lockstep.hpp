// lockstep.hpp - one command at a time, with a look at what each of them wrote.
#pragma once

#include <optional>

#include "replay/run/heartbeat.hpp"
#include "replay/run/stage.hpp"

namespace reel::rerun {

// The first command that does something else on `tested` than on `reference`, given the same bytes:
// after each command the tested stage gets the reference's results, so errors don't add up.
std::optional<Difference> first_difference(Stage& reference, Stage& tested,
                                           const ReplayOptions& options, bool exact,
                                           Heartbeat& heart);

// The first command that writes NaN or infinity into reals.
std::optional<NanReport> first_nan(Stage& stage, const ReplayOptions& options, Heartbeat& heart);

}  // namespace reel::rerun
