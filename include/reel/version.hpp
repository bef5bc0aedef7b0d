// version.hpp - which version of the library is in use.
#pragma once

#include <string_view>

namespace reel {

// "0.3.0": of the library that is loaded, which may be newer than the headers.
std::string_view version() noexcept;

}  // namespace reel
