// reflection.hpp - what a built kernel takes, as clGetKernelArgInfo tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "backends/opencl/api.hpp"
#include "graph/resource.hpp"

namespace reel::opencl {

// Fills parameters, reflected, group_size, group_size_fixed and max_group_items.
void reflect(cl_kernel kernel, cl_device_id device, const KernelSource& source,
             KernelResource& result);

// The size of a value of a built-in type, vectors included ("uint", "float4"); 0 for any other.
std::uint32_t builtin_type_bytes(std::string_view type) noexcept;
// What it is made of: of "float4" f32; none for any other type.
std::optional<ElementType> builtin_element(std::string_view type) noexcept;

}  // namespace reel::opencl
