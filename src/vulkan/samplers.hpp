// samplers.hpp - a sampler of Vulkan as documents keep it, and back.
#pragma once

#include <vulkan/vulkan_core.h>

#include <optional>

#include "reel/image.hpp"

namespace reel::vulkan {

// None where it says something that isn't kept: a border of its own colour, a conversion of planes.
std::optional<SamplerState> to_state(const VkSamplerCreateInfo& info) noexcept;

// What a device is asked for. `reduction` is linked in where the state has one; both are the
// caller's, and stay as long as the answer is used.
VkSamplerCreateInfo to_create_info(const SamplerState& state,
                                   VkSamplerReductionModeCreateInfo& reduction) noexcept;

}  // namespace reel::vulkan
