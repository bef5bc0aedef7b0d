// first_steps.hpp - what `reel` alone says: what one would do next, here.
#pragma once

#include <string>

namespace reel::cli {

// With the newest document of the current folder where there is one.
std::string first_steps();

}  // namespace reel::cli
