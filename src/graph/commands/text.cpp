#include "graph/commands/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace reel {
namespace {

// The length of the valid UTF-8 sequence that `text` begins with; 0 if it begins with none.
std::size_t sequence_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 && lead <= 0xf4   ? 4
                             : lead >= 0xe0 && lead <= 0xef ? 3
                             : lead >= 0xc2 && lead <= 0xdf ? 2
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  if ((lead == 0xe0 && at(1) < 0xa0) || (lead == 0xed && at(1) > 0x9f) ||
      (lead == 0xf0 && at(1) < 0x90) || (lead == 0xf4 && at(1) > 0x8f))
    return 0;
  return length;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    result += length ? text.substr(0, length) : "\xef\xbf\xbd";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

namespace {

// In quotes; control(c) adds what a character stands for that has no place in a text.
template <class Control>
std::string quoted(std::string_view text, Control&& control) {
  std::string result = "\"";
  for (const char c : valid_utf8(text)) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (c == '\n')
      result += "\\n";
    else if (code < 0x20 || code == 0x7f)
      control(result, code);
    else
      result += c;
  }
  return result + '"';
}

}  // namespace

std::string json_string(std::string_view text) {
  return quoted(text, [](std::string& result, unsigned char code) {
    fmt::format_to(std::back_inserter(result), "\\u{:04x}", code);
  });
}

std::string dot_string(std::string_view text) {
  return quoted(text, [](std::string& result, unsigned char code) {
    if (code == 0x7f) result += static_cast<char>(code);
  });
}

}  // namespace reel
