// What the text of a program tells of a kernel's parameters, where the driver does not.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "base/opencl_types.hpp"
#include "layers/opencl/parameters.hpp"

namespace reel::layer {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Words and single signs, without comments, strings, and lines of the preprocessor.
std::vector<std::string_view> tokens(std::string_view text) {
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

bool is_qualifier(std::string_view token, std::string_view plain) {
  return token == plain || (token.substr(0, 2) == "__" && token.substr(2) == plain);
}

Parameter parameter_of(const std::vector<std::string_view>& words) {
  Parameter parameter;
  parameter.kind = ParameterKind::value;
  parameter.access = Access::read;
  const auto has = [&](std::string_view word) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view token) { return is_qualifier(token, word); });
  };
  const bool is_pointer = std::find(words.begin(), words.end(), "*") != words.end() ||
                          std::find(words.begin(), words.end(), "[") != words.end();
  std::string type;
  for (const std::string_view word : words) {
    static constexpr std::array others{"const",      "volatile",   "restrict", "global",
                                       "constant",   "local",      "private",  "read_only",
                                       "write_only", "read_write", "generic"};
    if (word == "*" || word == "[") break;
    if (std::any_of(others.begin(), others.end(),
                    [&](const char* other) { return is_qualifier(word, other); }))
      continue;
    if (type == "unsigned" || type == "signed")
      type = type == "unsigned" ? "unsigned " + std::string(word) : std::string(word);
    else if (type.empty())
      type = word;
  }
  if (!words.empty() && is_word(words.back()[0])) parameter.name = words.back();
  if (type.substr(0, 5) == "image") {
    parameter.kind = ParameterKind::image;
    parameter.access = has("write_only")   ? Access::write
                       : has("read_write") ? Access::read_write
                                           : Access::read;
  } else if (type == "sampler_t") {
    parameter.kind = ParameterKind::sampler;
  } else if (type == "queue_t" || type == "pipe") {
    parameter.kind = ParameterKind::other;
  } else if (is_pointer && has("local")) {
    parameter.kind = ParameterKind::shared;
  } else if (is_pointer) {
    parameter.kind = ParameterKind::buffer;
    parameter.element = builtin_element(type);
    // `const` before the star is about what is pointed to; after it, about the pointer.
    const auto star = std::find(words.begin(), words.end(), "*");
    const bool is_const = std::find(words.begin(), star, "const") != star;
    parameter.access = is_const || has("constant") ? Access::read : Access::read_write;
  } else {
    parameter.size_bytes = builtin_type_bytes(type);
    parameter.element = builtin_element(type);
  }
  return parameter;
}

}  // namespace

std::optional<std::vector<Parameter>> parameters_in_source(std::string_view source,
                                                           std::string_view kernel) {
  const std::vector<std::string_view> words = tokens(source);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != kernel || words[i + 1] != "(") continue;
    // "kernel void NAME (", attributes may stand between.
    bool is_definition = false;
    for (std::size_t back = i;
         back-- > 0 && words[back] != ";" && words[back] != "{" && words[back] != "}";)
      is_definition = is_definition || is_qualifier(words[back], "kernel");
    if (!is_definition) continue;
    std::vector<Parameter> parameters;
    std::vector<std::string_view> one;
    int depth = 1;
    for (std::size_t at = i + 2; at < words.size() && depth > 0; ++at) {
      const std::string_view word = words[at];
      if (word == "(") ++depth;
      if (word == ")") --depth;
      if (depth == 0 || (depth == 1 && word == ",")) {
        if (!one.empty() && !(one.size() == 1 && one[0] == "void"))
          parameters.push_back(parameter_of(one));
        one.clear();
      } else {
        one.push_back(word);
      }
    }
    if (depth == 0) return parameters;
  }
  return std::nullopt;
}

}  // namespace reel::layer
