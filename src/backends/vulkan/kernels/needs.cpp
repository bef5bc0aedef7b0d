#include "backends/vulkan/kernels/needs.hpp"

#include <spirv/unified1/spirv.h>

#include <algorithm>
#include <array>

#include "base/fail.hpp"

namespace reel::vulkan {
namespace {

struct Need {
  std::uint32_t capability;
  bool there;
  const char* feature;
};

auto needs_of(const Features& has, VkSubgroupFeatureFlags subgroup) {
  const VkPhysicalDeviceFeatures& core = has.core.features;
  const auto can = [&](VkSubgroupFeatureFlagBits operation) { return (subgroup & operation) != 0; };
  return std::to_array<Need>({
      {SpvCapabilityFloat64, core.shaderFloat64 != 0, "shaderFloat64"},
      {SpvCapabilityInt64, core.shaderInt64 != 0, "shaderInt64"},
      {SpvCapabilityInt16, core.shaderInt16 != 0, "shaderInt16"},
      {SpvCapabilityFloat16, has.float16_int8.shaderFloat16 != 0, "shaderFloat16"},
      {SpvCapabilityInt8, has.float16_int8.shaderInt8 != 0, "shaderInt8"},
      {SpvCapabilityStorageBuffer16BitAccess, has.storage16.storageBuffer16BitAccess != 0,
       "storageBuffer16BitAccess"},
      {SpvCapabilityUniformAndStorageBuffer16BitAccess,
       has.storage16.uniformAndStorageBuffer16BitAccess != 0, "uniformAndStorageBuffer16BitAccess"},
      {SpvCapabilityStoragePushConstant16, has.storage16.storagePushConstant16 != 0,
       "storagePushConstant16"},
      {SpvCapabilityStorageBuffer8BitAccess, has.storage8.storageBuffer8BitAccess != 0,
       "storageBuffer8BitAccess"},
      {SpvCapabilityUniformAndStorageBuffer8BitAccess,
       has.storage8.uniformAndStorageBuffer8BitAccess != 0, "uniformAndStorageBuffer8BitAccess"},
      {SpvCapabilityStoragePushConstant8, has.storage8.storagePushConstant8 != 0,
       "storagePushConstant8"},
      {SpvCapabilityVariablePointers, has.pointers.variablePointers != 0, "variablePointers"},
      {SpvCapabilityVariablePointersStorageBuffer, has.pointers.variablePointersStorageBuffer != 0,
       "variablePointersStorageBuffer"},
      {SpvCapabilityInt64Atomics,
       has.atomic_int64.shaderBufferInt64Atomics || has.atomic_int64.shaderSharedInt64Atomics,
       "shaderBufferInt64Atomics"},
      {SpvCapabilityVulkanMemoryModel, has.memory_model.vulkanMemoryModel != 0,
       "vulkanMemoryModel"},
      {SpvCapabilityVulkanMemoryModelDeviceScope,
       has.memory_model.vulkanMemoryModelDeviceScope != 0, "vulkanMemoryModelDeviceScope"},
      {SpvCapabilityStorageImageExtendedFormats, core.shaderStorageImageExtendedFormats != 0,
       "shaderStorageImageExtendedFormats"},
      {SpvCapabilityStorageImageReadWithoutFormat, core.shaderStorageImageReadWithoutFormat != 0,
       "shaderStorageImageReadWithoutFormat"},
      {SpvCapabilityStorageImageWriteWithoutFormat, core.shaderStorageImageWriteWithoutFormat != 0,
       "shaderStorageImageWriteWithoutFormat"},
      {SpvCapabilityStorageBufferArrayDynamicIndexing,
       core.shaderStorageBufferArrayDynamicIndexing != 0,
       "shaderStorageBufferArrayDynamicIndexing"},
      {SpvCapabilityUniformBufferArrayDynamicIndexing,
       core.shaderUniformBufferArrayDynamicIndexing != 0,
       "shaderUniformBufferArrayDynamicIndexing"},
      {SpvCapabilitySampledImageArrayDynamicIndexing,
       core.shaderSampledImageArrayDynamicIndexing != 0, "shaderSampledImageArrayDynamicIndexing"},
      {SpvCapabilityStorageImageArrayDynamicIndexing,
       core.shaderStorageImageArrayDynamicIndexing != 0, "shaderStorageImageArrayDynamicIndexing"},
      {SpvCapabilityRuntimeDescriptorArray, has.indexing.runtimeDescriptorArray != 0,
       "runtimeDescriptorArray"},
      {SpvCapabilityStorageBufferArrayNonUniformIndexing,
       has.indexing.shaderStorageBufferArrayNonUniformIndexing != 0,
       "shaderStorageBufferArrayNonUniformIndexing"},
      {SpvCapabilityUniformBufferArrayNonUniformIndexing,
       has.indexing.shaderUniformBufferArrayNonUniformIndexing != 0,
       "shaderUniformBufferArrayNonUniformIndexing"},
      {SpvCapabilitySampledImageArrayNonUniformIndexing,
       has.indexing.shaderSampledImageArrayNonUniformIndexing != 0,
       "shaderSampledImageArrayNonUniformIndexing"},
      {SpvCapabilityStorageImageArrayNonUniformIndexing,
       has.indexing.shaderStorageImageArrayNonUniformIndexing != 0,
       "shaderStorageImageArrayNonUniformIndexing"},
      {SpvCapabilityImageGatherExtended, core.shaderImageGatherExtended != 0,
       "shaderImageGatherExtended"},
      {SpvCapabilityGroupNonUniform, can(VK_SUBGROUP_FEATURE_BASIC_BIT), "subgroup operations"},
      {SpvCapabilityGroupNonUniformVote, can(VK_SUBGROUP_FEATURE_VOTE_BIT), "subgroup vote"},
      {SpvCapabilityGroupNonUniformArithmetic, can(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT),
       "subgroup arithmetic"},
      {SpvCapabilityGroupNonUniformBallot, can(VK_SUBGROUP_FEATURE_BALLOT_BIT), "subgroup ballot"},
      {SpvCapabilityGroupNonUniformShuffle, can(VK_SUBGROUP_FEATURE_SHUFFLE_BIT),
       "subgroup shuffle"},
      {SpvCapabilityGroupNonUniformShuffleRelative, can(VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT),
       "subgroup shuffle relative"},
      {SpvCapabilityGroupNonUniformClustered, can(VK_SUBGROUP_FEATURE_CLUSTERED_BIT),
       "subgroup clustered"},
      {SpvCapabilityGroupNonUniformQuad, can(VK_SUBGROUP_FEATURE_QUAD_BIT), "subgroup quad"},
      {SpvCapabilityDotProduct, has.dot_product.shaderIntegerDotProduct != 0,
       "shaderIntegerDotProduct"},
      {SpvCapabilityAtomicFloat32AddEXT,
       has.atomic_float.shaderBufferFloat32AtomicAdd ||
           has.atomic_float.shaderSharedFloat32AtomicAdd ||
           has.atomic_float.shaderImageFloat32AtomicAdd,
       "shaderBufferFloat32AtomicAdd"},
      {SpvCapabilityAtomicFloat64AddEXT, has.atomic_float.shaderBufferFloat64AtomicAdd != 0,
       "shaderBufferFloat64AtomicAdd"},
      {SpvCapabilityAtomicFloat32MinMaxEXT,
       has.atomic_float2.shaderBufferFloat32AtomicMinMax ||
           has.atomic_float2.shaderSharedFloat32AtomicMinMax,
       "shaderBufferFloat32AtomicMinMax"},
      {SpvCapabilityShaderClockKHR, has.clock.shaderSubgroupClock || has.clock.shaderDeviceClock,
       "shaderSubgroupClock"},
      {SpvCapabilityWorkgroupMemoryExplicitLayoutKHR,
       has.explicit_layout.workgroupMemoryExplicitLayout != 0, "workgroupMemoryExplicitLayout"},
      {SpvCapabilityPhysicalStorageBufferAddresses, has.addresses.bufferDeviceAddress != 0,
       "bufferDeviceAddress"},
      {SpvCapabilityCooperativeMatrixNV, false, "cooperative matrices"},
      {6022 /* SpvCapabilityCooperativeMatrixKHR */, false, "cooperative matrices"},
      {SpvCapabilityRayQueryKHR, false, "ray queries"},
  });
}

}  // namespace

void check_needs(const Context& context, const spirv::Interface& interface,
                 const KernelSource& source) {
  const std::string& device = context.physical.info.name;
  // Hazards are seen only where its buffers are named, which arguments by kind have no place for.
  if (interface.uses_device_addresses && !source.declared_layout)
    fail(Code::unsupported,
         "Kernel '{}' takes addresses of buffers (PhysicalStorageBufferAddresses), which only "
         "kernels with a declared layout can (KernelSource::declared_layout).",
         source.name);
  // glslang declares it for any array without a size, also of addresses in a block.
  const bool has_open_array = std::ranges::any_of(
      interface.descriptors, [](const auto& d) { return d.is_array && d.count == 0; });
  for (const Need& need : needs_of(context.features, context.physical.subgroup_operations))
    if (!need.there && interface.has_capability(need.capability) &&
        (has_open_array || need.capability != SpvCapabilityRuntimeDescriptorArray))
      fail(Code::build_failed, "Kernel '{}' needs {}, which '{}' doesn't have.", source.name,
           need.feature, device);
  const PhysicalDevice& physical = context.physical;
  if (source.subgroup_size &&
      (!context.features.subgroup_size.subgroupSizeControl || physical.least_subgroup == 0))
    fail(Code::build_failed,
         "Kernel '{}' requires subgroups of {}, and the size can't be asked for on '{}'.",
         source.name, source.subgroup_size, device);
  if (source.subgroup_size && (source.subgroup_size < physical.least_subgroup ||
                               source.subgroup_size > physical.most_subgroup))
    fail(Code::build_failed, "Kernel '{}' requires subgroups of {}; '{}' has {} to {}.",
         source.name, source.subgroup_size, device, physical.least_subgroup,
         physical.most_subgroup);
  if (source.full_subgroups && !context.features.subgroup_size.computeFullSubgroups)
    fail(Code::build_failed, "Kernel '{}' requires full subgroups, which '{}' can't promise.",
         source.name, device);
}

}  // namespace reel::vulkan
