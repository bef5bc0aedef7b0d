// name_pattern.hpp - names that a user chooses on the command line: kernels to capture, rows to
// list.
#pragma once

#include <string_view>

namespace reel::layer {

// Without * and ? a pattern matches any part of a name: "attn" finds "layer3/attn/q". With them,
// all of it.
bool name_matches(std::string_view pattern, std::string_view name);

}  // namespace reel::layer
