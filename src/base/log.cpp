#include "base/log.hpp"

#include <cstdio>

#include "base/process/environment_variable.hpp"

namespace reel {

bool is_logged(LogLevel level) noexcept {
  const std::string_view name = environment_variable("REEL_LOG");
  LogLevel most = LogLevel::warn;
  if (name == "error") most = LogLevel::error;
  if (name == "info") most = LogLevel::info;
  if (name == "debug") most = LogLevel::debug;
  return level <= most;
}

void log(LogLevel level, std::string_view line) noexcept {
  // One call, so that lines of several threads don't mix.
  if (is_logged(level))
    std::fprintf(stderr, "[reel] %.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace reel
