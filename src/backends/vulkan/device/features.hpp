// features.hpp - what compute shaders may use, switched on where the device has
// it.
//
// A device is opened before its kernels are known, so all of these are on. Not
// among them: what costs those who don't need it (robustBufferAccess and its
// like, which are on where somebody asks for them), and all that only graphics
// has.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "backends/vulkan/device/api.hpp"

namespace reel::vulkan {

struct Features {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDevice16BitStorageFeatures storage16{};
  VkPhysicalDeviceVariablePointersFeatures pointers{};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
  VkPhysicalDevice8BitStorageFeatures storage8{};
  VkPhysicalDeviceShaderFloat16Int8Features float16_int8{};
  VkPhysicalDeviceVulkanMemoryModelFeatures memory_model{};
  VkPhysicalDeviceShaderAtomicInt64Features atomic_int64{};
  VkPhysicalDeviceDescriptorIndexingFeatures indexing{};
  VkPhysicalDeviceScalarBlockLayoutFeatures scalar_layout{};
  VkPhysicalDeviceBufferDeviceAddressFeatures addresses{};
  VkPhysicalDeviceUniformBufferStandardLayoutFeatures uniform_layout{};
  VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures subgroup_types{};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size{};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product{};
  VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_memory{};
  VkPhysicalDeviceMaintenance4Features maintenance4{};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float{};
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2{};
  VkPhysicalDeviceShaderClockFeaturesKHR clock{};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout{};
  VkPhysicalDeviceRobustness2FeaturesEXT robustness2{};
  VkPhysicalDeviceImageRobustnessFeatures image_robustness{};
  VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional{};
  bool sampler_mirror_clamp = false, sampler_minmax = false;

  Features() = default;
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;

  // Links in what a device of this version with these extensions knows of, and
  // asks it. Afterwards `core` is what vkCreateDevice takes.
  void query(VkPhysicalDevice device, std::uint32_t api_version,
             const std::set<std::string>& extensions);
  // Leaves out all that only graphics needs, so that nothing is paid for it, and robustness that
  // nobody `wanted`. Returns the names of what of that is on.
  std::vector<std::string> keep_compute_only(const std::vector<std::string>& wanted);
  // To be switched on beside them.
  const std::vector<const char*>& extensions() const noexcept { return extensions_; }

 private:
  std::vector<const char*> extensions_;
};

}  // namespace reel::vulkan
