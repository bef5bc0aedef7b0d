// capture_hook.hpp - what it costs a program that captures nothing to be able to.
//
// Two processes of this program take turns, one with the library and one with a library whose
// streams never ask for a recorder (target reel_without_capture). The host's kernel of one group
// is the shortest command there is, so nothing hides what asking costs.
#pragma once

#include <string>

#include "shared/harness.hpp"

namespace bench {

// `library` is the one that never asks.
GroupResult hook_group(const std::string& library, const HarnessOptions& options);

// What `--hook-turns` does: a turn for each line that comes in, and its times for each that goes
// out.
int take_hook_turns();

}  // namespace bench
