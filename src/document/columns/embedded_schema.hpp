// embedded_schema.hpp - schema.fbs in the binary form that documents carry.
#pragma once

#include <cstddef>
#include <span>

namespace reel::document {

std::span<const std::byte> embedded_schema();

}  // namespace reel::document
