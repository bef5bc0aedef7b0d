#include "terminal.hpp"

#include <unistd.h>

#include <cstdlib>

namespace reel::cli {
namespace {

std::string styled(const char* code, std::string_view text) {
  if (!styles_wanted() || text.empty()) return std::string(text);
  return std::string("\033[").append(code).append("m").append(text).append("\033[0m");
}

}  // namespace

bool styles_wanted() {
  static const bool wanted = [] {
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) == 1 && (!no_color || !*no_color) &&
           !(terminal && std::string_view(terminal) == "dumb");
  }();
  return wanted;
}

std::string bold(std::string_view text) { return styled("1", text); }
std::string dim(std::string_view text) { return styled("2", text); }

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return result;
}

}  // namespace reel::cli
