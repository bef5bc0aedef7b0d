#include "backends/vulkan/device/result.hpp"

#include "base/fail.hpp"

namespace reel::vulkan {

Code code_of(VkResult result) noexcept {
  switch (result) {
    case VK_ERROR_DEVICE_LOST:
      return Code::device_lost;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return Code::out_of_memory;
    default:
      return Code::driver_failed;
  }
}

void fail_result(VkResult result, const char* call) {
  fail(code_of(result), "The Vulkan driver answered {} with {} ({}).", call, name_of(result),
       static_cast<int>(result));
}

}  // namespace reel::vulkan
