// opencl_source.hpp - what the text of an OpenCL program says for certain, without a compiler.
//
// The preprocessor may make anything of a text: leave out one of two definitions, put other words
// in place of names, take in another file. What it can touch is not believed.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reel {

class OpenclSource {
 public:
  // `options` are those that it is built with.
  OpenclSource(std::string_view text, std::string_view options);
  OpenclSource(const OpenclSource&) = delete;
  OpenclSource& operator=(const OpenclSource&) = delete;

  // The words between the parentheses of the one definition of `kernel`, where they are certain to
  // be what a compiler sees: it stands under no condition, none of its words is a macro, and
  // nothing else can come into the text. Data() is null where they are not.
  std::span<const std::string_view> certain_parameters(std::string_view kernel) const;
  // The text certainly makes this the name of a struct or a union, and so of a value.
  bool is_certain_struct(std::string_view name) const;

 private:
  void read_options(std::string_view options);
  void read_directives();
  bool is_balanced() const;
  bool is_certain_definition(std::size_t name, std::size_t parameters_end) const;
  bool is_conditional(std::size_t word) const;
  std::size_t body_after(std::size_t parameters_end) const;

  const std::string text_;  // lines joined; words point into it
  std::vector<std::string_view> words_;
  std::vector<std::pair<std::size_t, std::size_t>> conditional_;  // words between #if and #endif
  std::set<std::string, std::less<>> macros_;
  bool is_closed_ = true;  // nothing comes in from elsewhere
};

}  // namespace reel
