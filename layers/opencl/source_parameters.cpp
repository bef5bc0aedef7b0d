// What the text of a program tells of a kernel's parameters, where the driver does not.
#include <algorithm>
#include <array>
#include <string>

#include "base/opencl_types.hpp"
#include "base/opencl_words.hpp"
#include "layers/opencl/parameters.hpp"

namespace reel::layer {

namespace {

Parameter parameter_of(const std::vector<std::string_view>& words) {
  Parameter parameter;
  parameter.kind = ParameterKind::value;
  parameter.access = Access::read;
  const auto has = [&](std::string_view plain) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return is_opencl_keyword(word, plain); });
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
                    [&](const char* other) { return is_opencl_keyword(word, other); }))
      continue;
    if (type == "unsigned" || type == "signed")
      type = type == "unsigned" ? "unsigned " + std::string(word) : std::string(word);
    else if (type.empty())
      type = word;
  }
  if (!words.empty() && is_opencl_name(words.back())) parameter.name = words.back();
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
  const std::vector<std::string_view> words = opencl_words(source);
  const auto all = find_kernel_words(words, kernel).parameters;
  if (all.data() == nullptr) return std::nullopt;
  std::vector<Parameter> parameters;
  std::vector<std::string_view> one;
  const auto end_one = [&] {
    if (!one.empty() && !(one.size() == 1 && one[0] == "void"))
      parameters.push_back(parameter_of(one));
    one.clear();
  };
  int depth = 0;
  for (const std::string_view word : all) {
    if (word == "(") ++depth;
    if (word == ")") --depth;
    if (depth == 0 && word == ",")
      end_one();
    else
      one.push_back(word);
  }
  end_one();
  return parameters;
}

}  // namespace reel::layer
