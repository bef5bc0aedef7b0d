#include "opencl/source.hpp"

#include <algorithm>
#include <array>

#include "opencl/words.hpp"

namespace reel {

namespace {

bool is_one_of(std::string_view word, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Other spellings of "#", "[", "\" and the like, which nobody uses and which we don't read.
bool has_other_spellings(std::string_view text) {
  static constexpr std::array<std::string_view, 6> spellings{"??", "%:", "<:", ":>", "<%", "%>"};
  return std::any_of(spellings.begin(), spellings.end(), [&](std::string_view spelling) {
    return text.find(spelling) != std::string_view::npos;
  });
}

}  // namespace

OpenclSource::OpenclSource(std::string_view text, std::string_view options)
    : text_(joined_lines(text)) {
  read_options(options);
  read_directives();
  is_closed_ = is_closed_ && !has_other_spellings(text) && is_balanced();
}

// Macros of "-D NAME=…"; an option that we don't know might bring in a file of them.
void OpenclSource::read_options(std::string_view options) {
  static constexpr std::array<std::string_view, 4> harmless{"-w", "-g", "-Wall", "-Werror"};
  const auto is_gap = [](char c) {
    return std::string_view(" \t\n\"'\\").find(c) != std::string_view::npos;
  };
  for (std::size_t at = 0; at < options.size();) {
    if (is_gap(options[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < options.size() && !is_gap(options[end])) ++end;
    const std::string_view option = options.substr(at, end - at);
    if (option.starts_with("-D")) {
      std::size_t name = at + 2;
      while (name < options.size() && is_gap(options[name])) ++name;
      std::size_t name_end = name;
      while (name_end < options.size() && is_opencl_name(options.substr(name_end, 1))) ++name_end;
      if (name == name_end) is_closed_ = false;
      macros_.emplace(options.substr(name, name_end - name));
      end = std::max(end, name_end);
    } else if (option.starts_with("-") && !option.starts_with("-cl-") &&
               !option.starts_with("-I") && !option.starts_with("-Wno-") &&
               !option.starts_with("-O") && !is_one_of(option, harmless)) {
      is_closed_ = false;
    }
    at = end;
  }
}

void OpenclSource::read_directives() {
  std::vector<OpenclDirective> directives;
  words_ = opencl_words(text_, directives);
  std::vector<std::size_t> open;
  for (const OpenclDirective& directive : directives) {
    if (directive.words.empty()) continue;
    const std::string_view what = directive.words.front();
    static constexpr std::array<std::string_view, 3> conditions{"if", "ifdef", "ifndef"};
    static constexpr std::array<std::string_view, 8> harmless{"undef", "pragma", "error", "warning",
                                                              "line",  "else",   "elif",  "define"};
    if (is_one_of(what, conditions)) {
      open.push_back(directive.before_word);
    } else if (what == "endif" && !open.empty()) {
      conditional_.emplace_back(open.back(), directive.before_word);
      open.pop_back();
    } else if (!is_one_of(what, harmless) && (what[0] < '0' || what[0] > '9')) {
      is_closed_ = false;  // #include, #import, and what we don't know
    }
    if (what == "define" && directive.words.size() > 1) macros_.emplace(directive.words[1]);
  }
  if (!open.empty()) is_closed_ = false;
}

// Unless every parenthesis has its other half, a macro has some: it may swallow what follows.
bool OpenclSource::is_balanced() const {
  std::vector<char> open;
  for (const std::string_view word : words_) {
    if (word == "\\") return false;  // of a name in universal characters
    if (word == "(" || word == "[" || word == "{") {
      open.push_back(word[0]);
    } else if (word == ")" || word == "]" || word == "}") {
      const char other = word == ")" ? '(' : word == "]" ? '[' : '{';
      if (open.empty() || open.back() != other) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

bool OpenclSource::is_conditional(std::size_t word) const {
  return std::any_of(conditional_.begin(), conditional_.end(),
                     [&](const auto& range) { return range.first <= word && word < range.second; });
}

// The "{" of a definition, behind attributes; npos: it is a declaration, or a call.
std::size_t OpenclSource::body_after(std::size_t parameters_end) const {
  std::size_t at = parameters_end;
  while (at + 1 < words_.size() && words_[at] == "__attribute__" && words_[at + 1] == "(") {
    at = after_closing(words_, at + 1, "(", ")");
    if (at == std::string_view::npos) return at;
  }
  return at < words_.size() && words_[at] == "{" ? at : std::string_view::npos;
}

bool OpenclSource::is_certain_definition(std::size_t name, std::size_t parameters_end) const {
  // From the end of what stands before: nothing but "kernel void", and attributes.
  std::size_t begin = name;
  while (begin > 0 && words_[begin - 1] != ";" && words_[begin - 1] != "}") --begin;
  bool is_kernel = false;
  for (std::size_t at = begin; at < name; ++at) {
    if (is_opencl_keyword(words_[at], "kernel")) {
      is_kernel = true;
    } else if (words_[at] == "__attribute__" && words_[at + 1] == "(") {
      at = after_closing(words_, at + 1, "(", ")") - 1;
      if (at >= name) return false;
    } else if (words_[at] != "void") {
      return false;
    }
  }
  if (!is_kernel) return false;
  for (std::size_t at = begin; at < parameters_end; ++at)
    if (is_conditional(at) || macros_.contains(words_[at])) return false;
  // Its "{", too: a condition may not begin between.
  const std::size_t body = body_after(parameters_end);
  if (is_conditional(body)) return false;
  // Within the argument of a macro nothing is certain; functions don't nest.
  int depth = 0;
  for (std::size_t at = 0; at < begin; ++at) {
    depth += words_[at] == "(" || words_[at] == "{" || words_[at] == "[";
    depth -= words_[at] == ")" || words_[at] == "}" || words_[at] == "]";
  }
  return depth == 0;
}

std::span<const std::string_view> OpenclSource::certain_parameters(std::string_view kernel) const {
  if (!is_closed_) return {};
  std::span<const std::string_view> found;
  for (std::size_t name = 1; name + 1 < words_.size(); ++name) {
    if (words_[name] != kernel || words_[name + 1] != "(" || words_[name - 1] != "void") continue;
    const std::size_t end = after_closing(words_, name + 1, "(", ")");
    if (end == std::string_view::npos) return {};
    if (body_after(end) == std::string_view::npos) continue;  // a declaration says the same
    if (found.data() || !is_certain_definition(name, end)) return {};
    found = std::span(words_).subspan(name + 2, end - name - 3);
  }
  return found;
}

// typedef struct [tag] { … } name;
bool OpenclSource::is_certain_struct(std::string_view name) const {
  for (const std::string_view word :
       {std::string_view("typedef"), std::string_view("struct"), std::string_view("union"), name})
    if (!is_closed_ || macros_.contains(word)) return false;
  bool found = false;
  for (std::size_t at = 0; at < words_.size(); ++at) {
    if (words_[at] != "typedef") continue;
    const std::size_t begin = at++;
    const auto word = [&](std::size_t i) { return i < words_.size() ? words_[i] : ""; };
    if (word(at) == "struct" || word(at) == "union") {
      if (is_opencl_name(word(++at))) ++at;
      if (word(at) == "{") at = after_closing(words_, at, "{", "}");
      if (at != std::string_view::npos && word(at) == name && word(at + 1) == ";") {
        if (found || word(at - 1) != "}" || is_conditional(begin)) return false;
        found = true;
        continue;
      }
    }
    // Anything else that it may be the name of is not looked into.
    for (; at < words_.size() && words_[at] != ";"; ++at)
      if (words_[at] == name) return false;
  }
  return found;
}

}  // namespace reel
