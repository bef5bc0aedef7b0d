// sources.hpp - whether a kernel of one document was built from other text than in another.
#pragma once

#include <cstdint>

#include "reel/diff.hpp"

namespace reel::analysis {

enum class SourceChange : std::uint8_t {
  none,
  kernel,   // the kernel's own text, or what it was built with
  program,  // a module of several kernels; whether this one changed, nobody can tell
};
// None where one of them is none.
SourceChange source_change(const Trace& a, const Trace& b, std::uint32_t kernel_a,
                           std::uint32_t kernel_b);

// Both texts of each pair of kernels that a row says has another source.
void compare_sources(const Trace& a, const Trace& b, TraceDiff& diff);

}  // namespace reel::analysis
