#include "opencl/words.hpp"

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
  const std::size_t end = after_closing(words, begin, open, close);
  if (end == std::string_view::npos) return {};
  return std::span(words).subspan(begin + 1, end - begin - 2);
}

// The words of a text one after the other.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // The next word, or a line's end as "\n"; empty at the end of the text.
  std::string_view next() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') return text_.substr(at_++, 1);
      if (std::isspace(static_cast<unsigned char>(c))) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return word();
      }
    }
    return {};
  }

 private:
  std::string_view word() {
    const std::size_t begin = at_;
    const char c = text_[at_++];
    if (c == '"' || c == '\'') {
      // What isn't closed, as an apostrophe in a line that is left out, ends with its line.
      while (at_ < text_.size() && text_[at_] != c && text_[at_] != '\n')
        at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_, text_.size());
      if (at_ < text_.size() && text_[at_] == c) ++at_;
    } else if (is_word(c)) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::string_view> opencl_words(std::string_view text,
                                           std::vector<OpenclDirective>& directives) {
  std::vector<std::string_view> found;
  Scanner scanner(text);
  bool line_begins = true;
  for (std::string_view word = scanner.next(); !word.empty(); word = scanner.next()) {
    if (word == "\n") {
      line_begins = true;
    } else if (word == "#" && line_begins) {
      OpenclDirective& directive = directives.emplace_back();
      directive.before_word = found.size();
      bool goes_on = false;
      for (word = scanner.next(); !word.empty(); word = scanner.next()) {
        if (word == "\n" && !goes_on) break;
        goes_on = word == "\\";
        if (word != "\n" && !goes_on) directive.words.push_back(word);
      }
    } else {
      found.push_back(word);
      line_begins = false;
    }
  }
  return found;
}

std::vector<std::string_view> opencl_words(std::string_view text) {
  std::vector<OpenclDirective> directives;
  return opencl_words(text, directives);
}

std::string joined_lines(std::string_view text) {
  std::string joined;
  joined.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      joined += text[i++];
      continue;
    }
    // Spaces may stand behind it: compilers warn, and join.
    std::size_t end = i + 1;
    while (end < text.size() && text[end] != '\n' &&
           std::isspace(static_cast<unsigned char>(text[end])))
      ++end;
    if (end < text.size() && text[end] == '\n')
      i = end + 1;
    else
      joined += text[i++];
  }
  return joined;
}

std::size_t after_closing(std::span<const std::string_view> words, std::size_t at,
                          std::string_view open, std::string_view close) noexcept {
  int depth = 0;
  for (; at < words.size(); ++at) {
    if (words[at] == open) ++depth;
    if (words[at] == close && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
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
