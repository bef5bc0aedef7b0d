// opencl_words.hpp - the text of an OpenCL program as words, for questions that need no compiler.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reel {

// Names, numbers, strings and single signs, without comments and lines of the preprocessor. They
// point into `text`.
std::vector<std::string_view> opencl_words(std::string_view text);

// A line of the preprocessor, and where it stands.
struct OpenclDirective {
  std::vector<std::string_view> words;  // after the "#"
  std::size_t before_word = 0;          // index of the word that follows
};
std::vector<std::string_view> opencl_words(std::string_view text,
                                           std::vector<OpenclDirective>& directives);

// Lines that end with a backslash and the ones after them as one, as a compiler first does.
std::string joined_lines(std::string_view text);

// Whether it begins as a name or a number does.
bool is_opencl_name(std::string_view word) noexcept;

// `word` is `plain`, or the same with the two underscores that OpenCL C takes as well.
bool is_opencl_keyword(std::string_view word, std::string_view plain) noexcept;

// What stands between the parentheses after the name of `kernel`, and between the braces that
// follow: its parameters and its body, of the first definition in the text. Empty where there is
// none, or macros make it.
struct KernelWords {
  std::span<const std::string_view> parameters, body;
};
KernelWords find_kernel_words(const std::vector<std::string_view>& words, std::string_view kernel);

// After the `close` that belongs to the `open` at `at`; none (npos) where that is missing.
std::size_t after_closing(std::span<const std::string_view> words, std::size_t at,
                          std::string_view open, std::string_view close) noexcept;

}  // namespace reel
