// expect_error.hpp - checks the code of an Error, and that its sentence says what it must.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <initializer_list>
#include <string_view>

#include "reel/error.hpp"

namespace reel::test {

// `call` must throw reel::Error with this code, in a sentence that mentions each of `words`.
template <class F>
void expect_error(Code code, std::initializer_list<std::string_view> words, F&& call,
                  const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  try {
    call();
  } catch (const Error& error) {
    const std::string_view said = error.what();
    if (error.code() != code)
      ADD_FAILURE_AT(file, line) << "code " << to_string(error.code()) << ", not "
                                 << to_string(code) << ": " << said;
    for (const std::string_view word : words)
      if (said.find(word) == std::string_view::npos)
        ADD_FAILURE_AT(file, line) << "no mention of \"" << word << "\" in: " << said;
    return;
  } catch (const std::exception& error) {
    ADD_FAILURE_AT(file, line) << "not a reel::Error but: " << error.what();
    return;
  }
  ADD_FAILURE_AT(file, line) << "nothing was thrown; " << to_string(code) << " expected";
}

}  // namespace reel::test
