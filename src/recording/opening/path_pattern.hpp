// path_pattern.hpp - "pass_%n_of_%p.reel" with its numbers put in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reel::capture {

// %p: process id, %n: `number`, %r: rank of an MPI or Slurm job (0 elsewhere), %%: a percent sign.
// Throws invalid_argument for anything else after a percent sign.
std::string expand_path(std::string_view pattern, std::uint32_t number);

// The pattern that means exactly this path.
std::string pattern_of(std::string_view path);

bool has_number(std::string_view pattern);  // %n

}  // namespace reel::capture
