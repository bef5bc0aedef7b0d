// utc_time.hpp - the time of day, as documents keep it.
#pragma once

#include <string>

namespace reel {

std::string utc_now();  // "2026-11-01T12:00:00Z"

}  // namespace reel
