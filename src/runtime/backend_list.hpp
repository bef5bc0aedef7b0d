// backend_list.hpp - how runtime finds the backends without knowing them.
#pragma once

#include <span>

#include "runtime/driver.hpp"

namespace reel {

std::span<const Backend* const> backends();  // defined in backends/backends.cpp

}  // namespace reel
