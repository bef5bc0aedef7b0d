#include "base/opencl_words.hpp"

#include <algorithm>
#include <cctype>

namespace reel {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// "kernel void NAME", attributes may stand between.
bool is_kernel_name(const std::vector<std::string_view>& words, std::size_t name) {
  for (std::size_t back = name;
       back-- > 0 && words[back] != ";" && words[back] != "{" && words[back] != "}";)
    if (is_opencl_keyword(words[back], "kernel")) return true;
  return false;
}

// From after the `open` at `begin` to the `close` that belongs to it; none where that is missing.
std::span<const std::string_view> inside(const std::vector<std::string_view>& words,
                                         std::size_t begin, std::string_view open,
                                         std::string_view close) {
  int depth = 1;
  for (std::size_t end = begin + 1; end < words.size(); ++end) {
    if (words[end] == open) ++depth;
    if (words[end] == close && --depth == 0)
      return std::span(words).subspan(begin + 1, end - begin - 1);
  }
  return {};
}

}  // namespace

std::vector<std::string_view> opencl_words(std::string_view text) {
  std::vector<std::string_view> found;
  bool line_begins = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') {
      line_begins = true;
      ++i;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
    } else if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
    } else if (c == '#' && line_begins) {
      while (i < text.size() && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
    } else if (c == '"' || c == '\'') {
      const std::size_t begin = i++;
      while (i < text.size() && text[i] != c) i += text[i] == '\\' ? 2 : 1;
      i = std::min(i + 1, text.size());
      found.push_back(text.substr(begin, i - begin));
      line_begins = false;
    } else {
      const std::size_t begin = i++;
      if (is_word(c))
        while (i < text.size() && is_word(text[i])) ++i;
      found.push_back(text.substr(begin, i - begin));
      line_begins = false;
    }
  }
  return found;
}

bool is_opencl_name(std::string_view word) noexcept { return !word.empty() && is_word(word[0]); }

bool is_opencl_keyword(std::string_view word, std::string_view plain) noexcept {
  return word == plain || (word.substr(0, 2) == "__" && word.substr(2) == plain);
}

KernelWords find_kernel_words(const std::vector<std::string_view>& words, std::string_view kernel) {
  KernelWords found;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != kernel || words[i + 1] != "(" || !is_kernel_name(words, i)) continue;
    found.parameters = inside(words, i + 1, "(", ")");
    if (found.parameters.data() == nullptr) break;
    const std::size_t after = i + found.parameters.size() + 3;
    // Not of a declaration: the definition comes later.
    if (after < words.size() && words[after] == "{") {
      found.body = inside(words, after, "{", "}");
      break;
    }
  }
  return found;
}

}  // namespace reel
