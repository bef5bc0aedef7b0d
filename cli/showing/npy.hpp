// npy.hpp - the beginning of a NumPy file (format 1.0) of one dimension.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reel/elements.hpp"

namespace reel::cli {

// None for types that NumPy doesn't have.
std::optional<std::string> npy_header(ElementType type, std::uint64_t count);

}  // namespace reel::cli
