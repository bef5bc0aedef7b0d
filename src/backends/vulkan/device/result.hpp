// result.hpp - what the driver answered, as an Error.
#pragma once

#include "backends/vulkan/device/api.hpp"
#include "reel/error.hpp"

namespace reel::vulkan {

// "VK_ERROR_DEVICE_LOST"; "unknown VkResult" for numbers without a name.
const char* name_of(VkResult result) noexcept;
// device_lost, out_of_memory or driver_failed.
Code code_of(VkResult result) noexcept;
[[noreturn]] void fail_result(VkResult result, const char* call);

inline void check(VkResult result, const char* call) {
  if (result < 0) fail_result(result, call);
}

}  // namespace reel::vulkan
