// result.hpp - what the driver answered, as an Error.
#pragma once

#include "backends/vulkan/device/api.hpp"
#include "reel/error.hpp"
#include "vulkan/result_name.hpp"  // IWYU pragma: export

namespace reel::vulkan {

// device_lost, out_of_memory or driver_failed.
Code code_of(VkResult result) noexcept;
[[noreturn]] void fail_result(VkResult result, const char* call);

inline void check(VkResult result, const char* call) {
  if (result < 0) fail_result(result, call);
}

}  // namespace reel::vulkan
