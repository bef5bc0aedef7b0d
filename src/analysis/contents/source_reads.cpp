#include "analysis/contents/source_reads.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "opencl/words.hpp"

namespace reel::analysis {

namespace {

using Words = std::span<const std::string_view>;

std::string_view word(Words words, std::size_t at) {
  return at < words.size() ? words[at] : std::string_view();
}

// After the "[" at `at`, and all it encloses.
std::size_t skip_index(Words words, std::size_t at) {
  int depth = 0;
  for (; at < words.size(); ++at) {
    if (words[at] == "[") ++depth;
    if (words[at] == "]" && --depth == 0) return at + 1;
  }
  return at;
}

// "=", "+=", "<<=", "++" and the like; not "==", "<=".
bool is_assignment(Words words, std::size_t at) {
  const std::string_view first = word(words, at), second = word(words, at + 1);
  if (first == "=") return second != "=";
  if ((first == "+" || first == "-") && second == first) return true;
  if (first.size() == 1 && std::string_view("+-*/%&|^").find(first[0]) != std::string_view::npos)
    return second == "=" && word(words, at + 2) != "=";
  return (first == "<" || first == ">") && second == first && word(words, at + 2) == "=";
}

// "++p[i]", "--*p".
bool is_stepped(Words words, std::size_t at) {
  return at >= 2 && (words[at - 1] == "+" || words[at - 1] == "-") &&
         words[at - 2] == words[at - 1];
}

// "&p[i]", not "a & p[i]" and not "a && p[i]".
bool is_address_taken(Words words, std::size_t at) {
  if (at == 0 || words[at - 1] != "&") return false;
  const std::string_view before = at >= 2 ? words[at - 2] : std::string_view();
  const bool is_operand = is_opencl_name(before) || before == ")" || before == "]" || before == "&";
  return !is_operand || before == "return";
}

// The function whose argument it is, directly.
std::string_view function_around(Words words, std::size_t at) {
  for (int depth = 0; at-- > 0;) {
    if (words[at] == ")") ++depth;
    if (words[at] == ";" || words[at] == "{") return {};
    if (words[at] == "(" && depth-- == 0) return at > 0 ? words[at - 1] : std::string_view();
  }
  return {};
}

bool is_read(Words words, std::size_t at) {
  const bool is_behind_star = at > 0 && words[at - 1] == "*";
  if (word(words, at + 1) == "[") {
    if (is_stepped(words, at) || is_address_taken(words, at)) return false;
    std::size_t after = skip_index(words, at + 1);
    while (word(words, after) == "." || word(words, after) == "[")
      after = words[after] == "." ? after + 2 : skip_index(words, after);
    return !is_assignment(words, after);
  }
  // "*p", not "a * p".
  if (is_behind_star) {
    const std::string_view before = at >= 2 ? words[at - 2] : std::string_view();
    return !is_stepped(words, at - 1) && !is_assignment(words, at + 1) && before != ")" &&
           before != "]" && (!is_opencl_name(before) || before == "return");
  }
  return function_around(words, at).substr(0, 5) == "vload";
}

// What a macro makes of its arguments, or of names that its text has in common with the kernel's,
// doesn't show in the kernel.
bool is_near_macro(const std::vector<OpenclDirective>& directives, Words body, std::size_t at) {
  std::vector<std::string_view> near{body[at]};  // itself, and all that it is an argument of
  int depth = 0;
  for (std::size_t i = at; i-- > 0 && body[i] != ";" && body[i] != "{";) {
    if (body[i] == ")") ++depth;
    if (body[i] == "(" && depth-- == 0) {
      depth = 0;
      if (i > 0) near.push_back(body[i - 1]);
    }
  }
  return std::any_of(directives.begin(), directives.end(), [&](const OpenclDirective& directive) {
    const auto& words = directive.words;
    if (words.size() < 2 || words[0] != "define") return false;
    return std::find(near.begin(), near.end(), words[1]) != near.end() ||
           std::find(words.begin() + 1, words.end(), body[at]) != words.end();
  });
}

}  // namespace

bool only_reads(std::string_view source, std::string_view kernel, std::string_view parameter) {
  const std::string text = joined_lines(source);
  std::vector<OpenclDirective> directives;
  const std::vector<std::string_view> words = opencl_words(text, directives);
  const Words body = find_kernel_words(words, kernel).body;
  bool occurs = false;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (body[at] != parameter) continue;
    // A field of something else that has the same name.
    if (at > 0 && (body[at - 1] == "." || (at > 1 && body[at - 1] == ">" && body[at - 2] == "-")))
      continue;
    if (!is_read(body, at) || is_near_macro(directives, body, at)) return false;
    occurs = true;
  }
  return occurs;
}

}  // namespace reel::analysis
