#include "cli/showing/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace reel::cli {
namespace {

constexpr std::uint32_t not_a_character = 0xffffffff;

// The character that `text` begins with, and how many bytes it has.
struct Character {
  std::uint32_t code = not_a_character;
  std::size_t bytes = 1;
};

Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = first & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const bool is_longer_than_needed = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (is_longer_than_needed || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

bool is_an_order(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) ||                           // controls, C0 and C1
         c == 0x061c || c == 0x200e || c == 0x200f ||                     // marks of direction
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||  // lines, overrides
         c == 0xfeff || (c >= 0xe0000 && c < 0xe0080) || c == not_a_character;
}

template <class F>
std::string replaced(std::string_view text, F&& other) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_of(text);
    if (is_an_order(character.code))
      result += other(character.code);
    else
      result += text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
  }
  return result;
}

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

std::string toned(Tone tone, std::string_view text) {
  switch (tone) {
    case Tone::good:
      return styled("32", text);
    case Tone::warning:
      return styled("33", text);
    case Tone::bad:
      return styled("31", text);
    case Tone::plain:
      break;
  }
  return std::string(text);
}

std::size_t terminal_columns() {
  winsize size{};
  return is_shown() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns,
                    std::size_t first) {
  if (columns == 0) return std::string(text);
  std::string result;
  std::size_t at = first;
  bool is_line_begin = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    // A word that is longer than a line stands on one of its own, and the terminal breaks it.
    if (!is_line_begin && at + 1 + width_of(word) > columns) {
      result += '\n' + std::string(indent, ' ');
      at = indent;
      is_line_begin = true;
    }
    if (!is_line_begin) {
      result += ' ';
      ++at;
    }
    result += word;
    at += width_of(word);
    is_line_begin = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  return std::string(indent, ' ') + wrapped(text, indent, terminal_columns(), indent);
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string shortened(std::string_view text, std::size_t width) {
  const std::size_t all = width_of(text);
  if (all <= width) return std::string(text);
  if (width == 0) return {};
  const std::size_t first = width / 2, last = all - (width - 1 - first);  // characters kept
  std::string result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < text.size(); ++at) {
    const std::size_t begin = i++;
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) ++i;
    if (at < first || at >= last) result += text.substr(begin, i - begin);
    if (at == first) result += "…";
  }
  return result;
}

bool is_shown() { return isatty(STDOUT_FILENO) == 1; }

std::string printable(std::string_view text) {
  return replaced(text, [](std::uint32_t) { return "?"; });
}

std::string printable_lines(std::string_view text) {
  return replaced(text, [](std::uint32_t c) { return c == '\n' ? "\n" : c == '\t' ? "\t" : "?"; });
}

std::string printable_json(std::string_view json) {
  return replaced(json, [](std::uint32_t c) {
    // A line feed or tab is JSON's own; within strings it is escaped already.
    if (c < 0x20) return std::string(1, static_cast<char>(c));
    return c == not_a_character ? std::string("?") : fmt::format("\\u{:04x}", c);
  });
}

}  // namespace reel::cli
