// id_number.hpp - the number that an id is made of, where tables and documents want numbers.
#pragma once

#include <cstdint>

namespace reel {

constexpr std::uint32_t id_number(auto id) noexcept { return static_cast<std::uint32_t>(id); }

}  // namespace reel
