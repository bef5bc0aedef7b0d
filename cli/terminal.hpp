// terminal.hpp - bold and dim text, where somebody reads it on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace reel::cli {

// True when standard output is a terminal and NO_COLOR is unset or empty (no-color.org).
bool styles_wanted();

std::string bold(std::string_view text);  // `text` itself where styles aren't wanted
std::string dim(std::string_view text);

// Without the control characters that a label may bring, which would move the cursor or worse.
std::string printable(std::string_view text);

}  // namespace reel::cli
