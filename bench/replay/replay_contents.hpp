// replay_contents.hpp - what a replay does to bytes: it restores inputs and checks results.
#pragma once

#include "reel/reel.hpp"
#include "shared/harness.hpp"

namespace bench {

// Trace::load and the restoring of so many MiB, half of whose bytes are random, against zstd and
// memcpy on the same bytes. Times are for a MiB.
Group restore_group(const reel::Device& device, std::uint32_t mib);

// The check of so many MiB of results, against memcpy and XXH3 on as many.
Group check_group(const reel::Device& device, std::uint32_t mib);

}  // namespace bench
