#include "reel/version.hpp"

namespace reel {

std::string_view version() noexcept { return REEL_VERSION; }

}  // namespace reel
