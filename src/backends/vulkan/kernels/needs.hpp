// needs.hpp - what a module may ask for that not every device has, and that
// drivers don't check.
#pragma once

#include "backends/vulkan/device/context.hpp"
#include "reel/kernel.hpp"
#include "spirv/interface.hpp"

namespace reel::vulkan {

// Throws build_failed that names the feature.
void check_needs(const Context& context, const spirv::Interface& interface,
                 const KernelSource& source);

}  // namespace reel::vulkan
