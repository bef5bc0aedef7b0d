// What the text of a program tells of a kernel's parameters, where the driver does not.
#include <algorithm>
#include <array>
#include <string>

#include "layers/opencl/objects/parameters.hpp"
#include "opencl/source.hpp"
#include "opencl/types.hpp"
#include "opencl/words.hpp"

namespace reel::layer {

namespace {

using Words = std::span<const std::string_view>;

bool is_any(std::string_view word, std::span<const std::string_view> plain) {
  return std::any_of(plain.begin(), plain.end(),
                     [&](std::string_view one) { return is_opencl_keyword(word, one); });
}

// "const", "global" and the like, before or behind the type.
bool is_qualifier(std::string_view word) {
  static constexpr std::array<std::string_view, 10> qualifiers{
      "const", "volatile", "restrict",  "global",     "constant",
      "local", "private",  "read_only", "write_only", "read_write"};
  return is_any(word, qualifiers);
}

// One of several words that make a type: "unsigned int".
bool is_part_of_type(std::string_view word) {
  static constexpr std::array<std::string_view, 9> parts{
      "unsigned", "signed", "char", "short", "int", "long", "float", "double", "half"};
  return std::find(parts.begin(), parts.end(), word) != parts.end();
}

// A parameter as it is written: qualifiers and type, stars with theirs, a name, "[…]".
struct Declaration {
  std::vector<std::string_view> qualifiers;  // of what the first star points to
  std::string type;
  bool is_struct = false;
  int stars = 0;
  std::string_view name;

  bool has(std::string_view plain) const {
    return std::any_of(qualifiers.begin(), qualifiers.end(),
                       [&](std::string_view word) { return is_opencl_keyword(word, plain); });
  }
};

// None where it is written in a way that this doesn't read.
std::optional<Declaration> parse(Words words) {
  Declaration found;
  std::size_t at = 0;
  for (; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (is_qualifier(word)) {
      found.qualifiers.push_back(word);
    } else if (word == "struct" || word == "union" || word == "enum") {
      found.is_struct = true;
      if (!found.type.empty()) return std::nullopt;
    } else if (is_part_of_type(word) && !found.is_struct) {
      if (!found.type.empty() && !is_part_of_type(found.type.substr(found.type.rfind(' ') + 1)))
        return std::nullopt;
      found.type += (found.type.empty() ? "" : " ") + std::string(word);
    } else if (is_opencl_name(word) && found.type.empty()) {
      found.type = word;
    } else {
      break;
    }
  }
  for (; at < words.size() && (words[at] == "*" || (found.stars && is_qualifier(words[at]))); ++at)
    found.stars += words[at] == "*";
  if (at < words.size() && is_opencl_name(words[at])) found.name = words[at++];
  if (at < words.size() && words[at] == "[") {
    at = after_closing(words, at, "[", "]");
    ++found.stars;
  }
  if (at != words.size() || found.type.empty()) return std::nullopt;
  return found;
}

std::string plain_type(std::string type) {
  if (type == "unsigned") return "unsigned int";
  if (type.starts_with("signed ")) type.erase(0, 7);
  return type;
}

std::optional<Parameter> parameter_of(const OpenclSource& text, Words words) {
  const auto declared = parse(words);
  if (!declared) return std::nullopt;
  Parameter parameter;
  parameter.name = declared->name;
  const std::string type = plain_type(declared->type);
  if (declared->stars && declared->has("local")) {
    parameter.kind = ArgumentKind::shared;
  } else if (declared->stars) {
    if (!declared->has("global") && !declared->has("constant")) return std::nullopt;
    parameter.kind = ArgumentKind::buffer;
    if (declared->stars > 1) return parameter;  // its `const` is about what the pointers lead to
    if (!declared->is_struct) parameter.element = builtin_element(type);
    if (declared->has("const") || declared->has("constant")) parameter.access = Access::read;
  } else if (declared->is_struct || text.is_certain_struct(type)) {
    parameter.kind = ArgumentKind::value;
    parameter.access = Access::read;
  } else if (type.starts_with("image") && type.ends_with("_t")) {
    parameter.kind = ArgumentKind::image;
    parameter.access = declared->has("write_only")   ? Access::write
                       : declared->has("read_write") ? Access::read_write
                                                     : Access::read;
  } else if (type == "sampler_t") {
    parameter.kind = ArgumentKind::sampler;
    parameter.access = Access::read;
  } else if (type == "queue_t") {
    parameter.kind = ArgumentKind::opaque;
  } else if (builtin_type_bytes(type)) {
    parameter.kind = ArgumentKind::value;
    parameter.access = Access::read;
    parameter.size_bytes = builtin_type_bytes(type);
    parameter.element = builtin_element(type);
  } else {
    return std::nullopt;  // a name of the program's own may be that of a pointer
  }
  return parameter;
}

}  // namespace

std::optional<std::vector<Parameter>> parameters_in_source(std::string_view source,
                                                           std::string_view options,
                                                           std::string_view kernel) {
  const OpenclSource text(source, options);
  const Words all = text.certain_parameters(kernel);
  if (all.data() == nullptr) return std::nullopt;
  std::vector<Parameter> parameters;
  if (all.empty() || (all.size() == 1 && all[0] == "void")) return parameters;
  for (std::size_t begin = 0; begin <= all.size();) {
    const auto end = static_cast<std::size_t>(
        std::find(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(), ",") - all.begin());
    auto parameter = parameter_of(text, all.subspan(begin, end - begin));
    if (!parameter) return std::nullopt;
    parameters.push_back(std::move(*parameter));
    begin = end + 1;
  }
  return parameters;
}

}  // namespace reel::layer
