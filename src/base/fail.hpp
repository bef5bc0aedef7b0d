// fail.hpp - throw an Error with a formatted sentence.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "reel/error.hpp"

namespace reel {

template <class... A>
[[noreturn]] void fail(Code code, fmt::format_string<A...> sentence, A&&... values) {
  throw Error(code, fmt::format(sentence, std::forward<A>(values)...));
}

}  // namespace reel
