// target.hpp - what every fuzz target defines.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace reel {

// Takes any bytes; whatever is wrong with the code that reads them ends the program.
void fuzz_one(std::span<const std::byte> bytes);

inline void check(bool holds, const char* otherwise) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", otherwise);
  std::abort();
}

}  // namespace reel
