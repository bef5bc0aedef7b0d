// text.hpp - text that other programs read: quoted for JSON and for DOT.
#pragma once

#include <string>
#include <string_view>

namespace reel {

// The text with what is not valid UTF-8 replaced by U+FFFD: labels come from anywhere.
std::string valid_utf8(std::string_view text);
// In quotes, escaped.
std::string json_string(std::string_view text);
std::string dot_string(std::string_view text);

}  // namespace reel
