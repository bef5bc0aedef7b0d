// buffer_elements.hpp - what kernels take the elements of each buffer for.
#pragma once

#include <optional>
#include <vector>

#include "reel/elements.hpp"
#include "reel/trace.hpp"

namespace reel::analysis {

// By buffer: the type all kernels that know one agree on; none where they don't.
std::vector<std::optional<ElementType>> buffer_elements(const Trace& trace);

}  // namespace reel::analysis
