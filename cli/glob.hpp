// glob.hpp - names by pattern: * is any run of characters, ? any one; the rest is itself.
#pragma once

#include <string_view>

namespace reel::cli {

// Of a pattern without * and ?, any part of the name will do: "attn" finds "layer3/attn/q".
bool matches(std::string_view pattern, std::string_view name);

}  // namespace reel::cli
