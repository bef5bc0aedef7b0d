// capture_modes.hpp - the same work while it is captured into a document and while it is not.
#pragma once

#include <vector>

#include "reel/reel.hpp"
#include "shared/harness.hpp"

namespace bench {

// Many small dispatches, and a few on large buffers whose contents the document must hold.
Group small_dispatches_group(const reel::Device& device, std::uint32_t dispatches);
Group large_buffers_group(const reel::Device& device, std::uint32_t dispatches);

}  // namespace bench
