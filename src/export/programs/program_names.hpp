// program_names.hpp - words of a document as parts of a program's text.
//
// Labels come from anywhere. An identifier made of one has a-z, 0-9 and single '_' only, so that it
// is a file name too; strings and comments are plain ASCII, so that no label can end them or
// change how they look.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace reel::program {

// "Layer0/attn.Q" -> "layer0_attn_q"; what has no letter or digit becomes `fallback`.
std::string identifier(std::string_view label, std::string_view fallback);

// Names that differ from each other, and from words that both languages or the programs use.
class NameSet {
 public:
  // `wanted`, an identifier, or with a number behind it where that is taken.
  std::string take(const std::string& wanted);

 private:
  std::set<std::string> taken_;
};

// In quotes, escaped.
std::string cpp_string(std::string_view text);
std::string python_string(std::string_view text);
// For a comment: as cpp_string, and long ones cut.
std::string short_string(std::string_view text);

}  // namespace reel::program
