// A library that says it is of another version, in front of the real one.
#include "reel/version.hpp"

namespace reel {
__attribute__((visibility("default"))) std::string_view version() noexcept { return "9.8.7"; }
}  // namespace reel
