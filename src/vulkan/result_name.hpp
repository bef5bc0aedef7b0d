// result_name.hpp - what Vulkan calls its answers.
#pragma once

#include <vulkan/vulkan_core.h>

namespace reel::vulkan {

// "VK_ERROR_DEVICE_LOST"; "unknown VkResult" for numbers without a name.
const char* name_of(VkResult result) noexcept;

}  // namespace reel::vulkan
