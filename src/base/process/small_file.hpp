// small_file.hpp - the bytes of a file that should be small.
#pragma once

#include <cstddef>
#include <string>

#include "base/process/own_memory.hpp"

namespace reel {

// Empty where there is none, it is no regular file, can't be read, or has more than `most_bytes`:
// somebody else's file may be anything, and a pipe would be waited for.
OwnText small_file(const std::string& path, std::size_t most_bytes = std::size_t{1} << 16);

}  // namespace reel
