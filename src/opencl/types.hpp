// opencl_types.hpp - the built-in types of OpenCL C by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "reel/elements.hpp"

namespace reel {

// The size of a value of a built-in type, vectors included ("uint", "float4"); 0 for any other.
std::uint32_t builtin_type_bytes(std::string_view type) noexcept;
// What it is made of: of "float4" f32; none for any other type.
std::optional<ElementType> builtin_element(std::string_view type) noexcept;
// Of "float*" and "float4 *"; what is no pointer to a built-in type has none.
std::optional<ElementType> pointed_element(std::string_view type) noexcept;

}  // namespace reel
