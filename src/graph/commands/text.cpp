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

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : valid_utf8(text)) {
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (c == '\n')
      result += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + '"';
}

std::string dot_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : valid_utf8(text)) {
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (c == '\n')
      result += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20)  // others have no place in a picture
      result += c;
  }
  return result + '"';
}

}  // namespace reel
