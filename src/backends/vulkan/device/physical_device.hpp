// physical_device.hpp - what can be opened, and what it can do.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/vulkan/device/api.hpp"
#include "reel/device.hpp"

namespace reel::vulkan {

// The features of compute shaders, switched on where the device has them.
struct Features {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDevice16BitStorageFeatures storage16{};
  VkPhysicalDeviceVariablePointersFeatures pointers{};
  VkPhysicalDevice8BitStorageFeatures storage8{};
  VkPhysicalDeviceShaderFloat16Int8Features float16_int8{};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};

  Features();
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
  // Links in what the device knows of and asks it.
  void query(VkPhysicalDevice device, bool extended);
  // Leaves out all that only graphics needs, so that nothing is paid for it.
  void keep_compute_only();
};

struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceInfo info;  // info.unavailable says why it is rejected
  VkPhysicalDeviceLimits limits{};
  std::uint32_t api_version = 0;  // the lesser of the device's and the instance's
  std::uint32_t queue_family = 0;
  std::uint32_t queue_count = 0;
  std::uint32_t timestamp_bits = 0;
  bool calibrated_timestamps = false;
  bool float16_int8 = false;  // in core 1.2, or as the extension
  bool storage8 = false;
};

// Empty when there is no instance.
std::vector<PhysicalDevice> physical_devices();

// The names of the extensions to open `device` with.
std::vector<const char*> extensions_for(const PhysicalDevice& device);

}  // namespace reel::vulkan
