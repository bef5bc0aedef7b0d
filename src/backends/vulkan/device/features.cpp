#include "backends/vulkan/device/features.hpp"

#include <algorithm>

namespace reel::vulkan {

void Features::query(VkPhysicalDevice device, std::uint32_t api_version,
                     const std::set<std::string>& extensions) {
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  void** end = &core.pNext;
  const auto link = [&](auto& features, VkStructureType type) {
    features.sType = type;
    *end = &features;
    end = &features.pNext;
  };
  // `core_version`: from which on it needs no extension; 0: always needs it.
  const auto has = [&](std::uint32_t core_version, const char* extension) {
    if (core_version && api_version >= core_version) return true;
    if (!extensions.contains(extension)) return false;
    extensions_.push_back(extension);
    return true;
  };
  link(storage16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
  link(pointers, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES);
  constexpr std::uint32_t v12 = VK_API_VERSION_1_2, v13 = VK_API_VERSION_1_3;
  if (has(v12, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME))
    link(timeline, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
  if (has(v12, VK_KHR_8BIT_STORAGE_EXTENSION_NAME))
    link(storage8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES);
  if (has(v12, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME))
    link(float16_int8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES);
  if (has(v12, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME))
    link(memory_model, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES);
  if (has(v12, VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME))
    link(atomic_int64, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES);
  if (has(v12, VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME))
    link(indexing, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES);
  if (has(v12, VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME))
    link(scalar_layout, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES);
  if (has(v12, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME))
    link(addresses, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
  if (has(v12, VK_KHR_UNIFORM_BUFFER_STANDARD_LAYOUT_EXTENSION_NAME))
    link(uniform_layout, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES);
  if (has(v12, VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME))
    link(subgroup_types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES);
  if (has(v13, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME))
    link(subgroup_size, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
  if (has(v13, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME))
    link(dot_product, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES);
  if (has(v13, VK_KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY_EXTENSION_NAME))
    link(zero_memory, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES);
  if (has(v13, VK_KHR_MAINTENANCE_4_EXTENSION_NAME))  // LocalSizeId
    link(maintenance4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES);
  if (has(0, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME)) {
    link(atomic_float, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT);
    if (has(0, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME))
      link(atomic_float2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT);
  }
  if (has(0, VK_KHR_SHADER_CLOCK_EXTENSION_NAME))
    link(clock, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR);
  if (has(0, VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME))
    link(explicit_layout,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR);
  if (has(0, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME))
    link(robustness2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);
  if (has(v13, VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME))
    link(image_robustness, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES);
  if (has(0, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME))  // dispatches, too
    link(conditional, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT);
  has(v12, VK_KHR_SPIRV_1_4_EXTENSION_NAME);
  has(v12, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME);
  has(v13, VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME);
  sampler_mirror_clamp = has(0, VK_KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE_EXTENSION_NAME);
  sampler_minmax = has(0, VK_EXT_SAMPLER_FILTER_MINMAX_EXTENSION_NAME);
  // A driver that has it wants it to be known that its rules are a subset.
  has(0, "VK_KHR_portability_subset");
  vkGetPhysicalDeviceFeatures2(device, &core);
}

std::vector<std::string> Features::keep_compute_only(const std::vector<std::string>& wanted) {
  const VkPhysicalDeviceFeatures had = core.features;
  VkPhysicalDeviceFeatures& on = core.features = {};
  on.shaderFloat64 = had.shaderFloat64;
  on.shaderInt64 = had.shaderInt64;
  on.shaderInt16 = had.shaderInt16;
  on.shaderStorageBufferArrayDynamicIndexing = had.shaderStorageBufferArrayDynamicIndexing;
  on.shaderUniformBufferArrayDynamicIndexing = had.shaderUniformBufferArrayDynamicIndexing;
  on.shaderSampledImageArrayDynamicIndexing = had.shaderSampledImageArrayDynamicIndexing;
  on.shaderStorageImageArrayDynamicIndexing = had.shaderStorageImageArrayDynamicIndexing;
  on.shaderStorageImageExtendedFormats = had.shaderStorageImageExtendedFormats;
  on.shaderStorageImageReadWithoutFormat = had.shaderStorageImageReadWithoutFormat;
  on.shaderStorageImageWriteWithoutFormat = had.shaderStorageImageWriteWithoutFormat;
  on.shaderImageGatherExtended = had.shaderImageGatherExtended;
  on.samplerAnisotropy = had.samplerAnisotropy;
  on.imageCubeArray = had.imageCubeArray;
  // Those are for who records addresses, and for several devices as one.
  conditional.inheritedConditionalRendering = VK_FALSE;
  addresses.bufferDeviceAddressCaptureReplay = addresses.bufferDeviceAddressMultiDevice = VK_FALSE;
  // Out-of-bounds rules for all accesses would cost every kernel.
  std::vector<std::string> robust;
  const auto keep_if_wanted = [&](VkBool32& feature, VkBool32 is_there, const char* name) {
    feature = is_there && std::ranges::find(wanted, name) != wanted.end() ? VK_TRUE : VK_FALSE;
    if (feature) robust.emplace_back(name);
  };
  keep_if_wanted(on.robustBufferAccess, had.robustBufferAccess, "robustBufferAccess");
  keep_if_wanted(robustness2.robustBufferAccess2,
                 robustness2.robustBufferAccess2 && on.robustBufferAccess, "robustBufferAccess2");
  keep_if_wanted(image_robustness.robustImageAccess, image_robustness.robustImageAccess,
                 "robustImageAccess");
  keep_if_wanted(robustness2.robustImageAccess2, robustness2.robustImageAccess2,
                 "robustImageAccess2");
  return robust;
}

}  // namespace reel::vulkan
