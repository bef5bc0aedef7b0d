#include "export/programs/program_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "graph/commands/text.hpp"

namespace reel::program {
namespace {

constexpr std::size_t longest_identifier = 48;  // a file name is made of two and a number

// In lower case, as identifiers are.
constexpr auto reserved = std::to_array<std::string_view>({
    // C++
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "concept",
    "const",
    "consteval",
    "constexpr",
    "constinit",
    "const_cast",
    "continue",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    // its macros in lower case, those of GNU's dialect among them
    "assert",
    "errno",
    "i386",
    "linux",
    "stderr",
    "stdin",
    "stdout",
    "unix",
    // Python
    "as",
    "async",
    "await",
    "def",
    "del",
    "elif",
    "except",
    "finally",
    "from",
    "global",
    "import",
    "in",
    "is",
    "lambda",
    "match",
    "nonlocal",
    "pass",
    "raise",
    "with",
    "yield",
    // what the programs use
    "argc",
    "argv",
    "bytes",
    "check",
    "cl",
    "context",
    "device",
    "dispatch",
    "equal",
    "find_device",
    "groups_in",
    "inout",
    "is_equal",
    "len",
    "load",
    "main",
    "make_buffer",
    "build_kernel",
    "numpy",
    "out",
    "part",
    "path",
    "print",
    "put",
    "queue",
    "reel",
    "run",
    "selector",
    "shared",
    "std",
    "stream",
    "sys",
    "text",
    "timed",
    "words",
});

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

// The code point at the start of valid UTF-8, which is taken off.
char32_t next_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  char32_t point = length == 1 ? lead : lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  text.remove_prefix(length);
  return point;
}

}  // namespace

std::string identifier(std::string_view label, std::string_view fallback) {
  std::string name;
  for (const char c : label) {
    if (name.size() == longest_identifier) break;
    if (is_letter_or_digit(c))
      name += lower(c);
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) return std::string(fallback);
  if (name[0] >= '0' && name[0] <= '9') return fmt::format("{}_{}", fallback, name);
  return name;
}

std::string NameSet::take(const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; std::ranges::find(reserved, name) != reserved.end() || taken_.contains(name);
       ++number)
    name = fmt::format("{}_{}", wanted, number);
  taken_.insert(name);
  return name;
}

std::string cpp_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    // Three octal digits end by themselves; "??" would begin a trigraph in old compilers.
    if (is_plain(c) && !(c == '?' && result.back() == '?'))
      result += c;
    else
      result += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return result + '"';
}

std::string python_string(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string result = "\"";
  for (std::string_view rest = valid; !rest.empty();) {
    const char first = rest[0];
    const char32_t point = next_code_point(rest);
    if (is_plain(first))
      result += first;
    else if (point < 0x100)
      result += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point));
    else if (point < 0x10000)
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
    else
      result += fmt::format("\\U{:08x}", static_cast<std::uint32_t>(point));
  }
  return result + '"';
}

std::string short_string(std::string_view text) {
  constexpr std::size_t longest = 60;
  return cpp_string(text.substr(0, longest)) + (text.size() > longest ? " and so on" : "");
}

}  // namespace reel::program
