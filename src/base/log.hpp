// log.hpp - lines on standard error for the person who runs the program.
//
// $REEL_LOG chooses how much: error, warn (what works otherwise than asked; the default tells also
// where documents go), info, debug. Never throws.
#pragma once

#include <string_view>

namespace reel {

enum class LogLevel { error, warn, info, debug };

bool is_logged(LogLevel level) noexcept;
// "[reel] <line>"
void log(LogLevel level, std::string_view line) noexcept;

}  // namespace reel
