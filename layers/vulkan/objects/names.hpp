// names.hpp - words for results of Vulkan, and names that programs give.
#pragma once

#include <string>
#include <string_view>

namespace reel::layer::vk {

struct Device;

const char* result_name(int result) noexcept;  // "VK_ERROR_DEVICE_LOST"
std::string answered(int result);              // the end of a sentence: why something can't be done

// A handle that we know, whatever it is; false: we don't. Of reel_app.h.
bool name_any(const void* handle, std::string_view name);
// What vkSetDebugUtilsObjectNameEXT says.
void name_object(Device& device, int kind, unsigned long long handle, std::string_view name);

}  // namespace reel::layer::vk
