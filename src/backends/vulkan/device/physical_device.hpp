// physical_device.hpp - what can be opened, and what it can do.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "backends/vulkan/device/api.hpp"
#include "reel/device.hpp"

namespace reel::vulkan {

struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceInfo info;  // info.unavailable says why it is rejected
  VkPhysicalDeviceLimits limits{};
  std::uint32_t api_version = 0;  // the lesser of the device's and the instance's
  std::uint32_t queue_family = 0;
  std::uint32_t queue_count = 0;
  std::uint32_t timestamp_bits = 0;
  bool calibrated_timestamps = false;
  std::set<std::string> extensions;                // that it has
  VkSubgroupFeatureFlags subgroup_operations = 0;  // of compute shaders
  std::uint32_t least_subgroup = 0,
                most_subgroup = 0;  // that can be required; 0: none can
};

// Empty when there is no instance.
std::vector<PhysicalDevice> physical_devices();

}  // namespace reel::vulkan
