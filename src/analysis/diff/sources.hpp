// sources.hpp - whether a kernel of one document was built from other text than in another.
#pragma once

#include <cstdint>

#include "reel/diff.hpp"

namespace reel::analysis {

// False where one of them is none.
bool has_new_source(const Trace& a, const Trace& b, std::uint32_t kernel_a, std::uint32_t kernel_b);

// Both texts of each pair of kernels that a row says has another source.
void compare_sources(const Trace& a, const Trace& b, TraceDiff& diff);

}  // namespace reel::analysis
