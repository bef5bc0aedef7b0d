// functions.hpp - the functions of Vulkan that the layer calls below itself, one table for each
// instance and each device.
//
// All pointers are taken while vkCreateInstance or vkCreateDevice runs: asked later, the loader may
// hand out the head of the chain, which leads back here. Any of them may be null: an extension that
// is off, or a function of an instance's extension that the driver lacks.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

namespace reel::layer::vk {

// F(name): of all versions. A(name, suffix): core in a later version, before that an extension's.
#define REEL_VK_INSTANCE_FUNCTIONS(F, A)    \
  F(DestroyInstance)                        \
  F(EnumeratePhysicalDevices)               \
  F(EnumerateDeviceExtensionProperties)     \
  F(GetPhysicalDeviceProperties)            \
  A(GetPhysicalDeviceProperties2, KHR)      \
  F(GetPhysicalDeviceMemoryProperties)      \
  F(GetPhysicalDeviceQueueFamilyProperties) \
  F(GetPhysicalDeviceFormatProperties)      \
  F(GetPhysicalDeviceSurfaceCapabilitiesKHR)

#define REEL_VK_DEVICE_FUNCTIONS(F, A)      \
  F(DestroyDevice)                          \
  F(GetDeviceQueue)                         \
  F(GetDeviceQueue2)                        \
  F(QueueSubmit)                            \
  A(QueueSubmit2, KHR)                      \
  F(QueueBindSparse)                        \
  F(CreateSwapchainKHR)                     \
  F(DestroySwapchainKHR)                    \
  F(GetSwapchainImagesKHR)                  \
  F(AcquireNextImageKHR)                    \
  F(AcquireNextImage2KHR)                   \
  F(QueuePresentKHR)                        \
  F(QueueWaitIdle)                          \
  F(DeviceWaitIdle)                         \
  F(AllocateMemory)                         \
  F(FreeMemory)                             \
  F(MapMemory)                              \
  F(UnmapMemory)                            \
  F(FlushMappedMemoryRanges)                \
  F(InvalidateMappedMemoryRanges)           \
  F(BindBufferMemory)                       \
  A(BindBufferMemory2, KHR)                 \
  F(BindImageMemory)                        \
  A(BindImageMemory2, KHR)                  \
  F(CreateBuffer)                           \
  F(DestroyBuffer)                          \
  F(GetBufferMemoryRequirements)            \
  A(GetBufferDeviceAddress, KHR)            \
  F(GetBufferDeviceAddressEXT)              \
  A(GetDeviceBufferMemoryRequirements, KHR) \
  A(GetDeviceImageMemoryRequirements, KHR)  \
  F(CreateBufferView)                       \
  F(DestroyBufferView)                      \
  F(CreateImage)                            \
  F(DestroyImage)                           \
  F(GetImageMemoryRequirements)             \
  F(GetImageSubresourceLayout)              \
  F(CreateImageView)                        \
  F(DestroyImageView)                       \
  F(CreateSampler)                          \
  F(DestroySampler)                         \
  F(CreateFence)                            \
  F(DestroyFence)                           \
  F(ResetFences)                            \
  F(GetFenceStatus)                         \
  F(WaitForFences)                          \
  F(CreateSemaphore)                        \
  F(DestroySemaphore)                       \
  A(GetSemaphoreCounterValue, KHR)          \
  A(WaitSemaphores, KHR)                    \
  A(SignalSemaphore, KHR)                   \
  F(GetSemaphoreFdKHR)                      \
  F(ImportSemaphoreFdKHR)                   \
  F(GetFenceFdKHR)                          \
  F(ImportFenceFdKHR)                       \
  F(CreateEvent)                            \
  F(SetEvent)                               \
  F(GetEventStatus)                         \
  F(CreateQueryPool)                        \
  F(DestroyQueryPool)                       \
  F(GetQueryPoolResults)                    \
  F(CreateShaderModule)                     \
  F(DestroyShaderModule)                    \
  F(CreateComputePipelines)                 \
  F(DestroyPipeline)                        \
  F(CreatePipelineLayout)                   \
  F(DestroyPipelineLayout)                  \
  F(CreateDescriptorSetLayout)              \
  F(DestroyDescriptorSetLayout)             \
  F(CreateDescriptorPool)                   \
  F(DestroyDescriptorPool)                  \
  F(ResetDescriptorPool)                    \
  F(AllocateDescriptorSets)                 \
  F(FreeDescriptorSets)                     \
  F(UpdateDescriptorSets)                   \
  A(CreateDescriptorUpdateTemplate, KHR)    \
  A(DestroyDescriptorUpdateTemplate, KHR)   \
  A(UpdateDescriptorSetWithTemplate, KHR)   \
  F(CreateRenderPass)                       \
  A(CreateRenderPass2, KHR)                 \
  F(DestroyRenderPass)                      \
  F(CreateFramebuffer)                      \
  F(DestroyFramebuffer)                     \
  F(CreateCommandPool)                      \
  F(DestroyCommandPool)                     \
  F(ResetCommandPool)                       \
  F(AllocateCommandBuffers)                 \
  F(FreeCommandBuffers)                     \
  F(BeginCommandBuffer)                     \
  F(EndCommandBuffer)                       \
  F(ResetCommandBuffer)                     \
  F(CmdBindPipeline)                        \
  F(CmdBindDescriptorSets)                  \
  F(CmdPushConstants)                       \
  F(CmdPushDescriptorSetKHR)                \
  F(CmdPushDescriptorSetWithTemplateKHR)    \
  F(CmdDispatch)                            \
  A(CmdDispatchBase, KHR)                   \
  F(CmdDispatchIndirect)                    \
  F(CmdCopyBuffer)                          \
  A(CmdCopyBuffer2, KHR)                    \
  F(CmdCopyImage)                           \
  A(CmdCopyImage2, KHR)                     \
  F(CmdCopyBufferToImage)                   \
  A(CmdCopyBufferToImage2, KHR)             \
  F(CmdCopyImageToBuffer)                   \
  A(CmdCopyImageToBuffer2, KHR)             \
  F(CmdFillBuffer)                          \
  F(CmdUpdateBuffer)                        \
  F(CmdClearColorImage)                     \
  F(CmdClearDepthStencilImage)              \
  F(CmdBlitImage)                           \
  A(CmdBlitImage2, KHR)                     \
  F(CmdResolveImage)                        \
  A(CmdResolveImage2, KHR)                  \
  F(CmdPipelineBarrier)                     \
  A(CmdPipelineBarrier2, KHR)               \
  F(CmdSetEvent)                            \
  A(CmdSetEvent2, KHR)                      \
  F(CmdResetEvent)                          \
  A(CmdResetEvent2, KHR)                    \
  F(CmdWaitEvents)                          \
  A(CmdWaitEvents2, KHR)                    \
  F(CmdResetQueryPool)                      \
  F(CmdWriteTimestamp)                      \
  A(CmdWriteTimestamp2, KHR)                \
  F(CmdCopyQueryPoolResults)                \
  F(CmdExecuteCommands)                     \
  F(CmdBeginConditionalRenderingEXT)        \
  F(CmdEndConditionalRenderingEXT)          \
  F(CmdBeginRenderPass)                     \
  A(CmdBeginRenderPass2, KHR)               \
  A(CmdBeginRendering, KHR)                 \
  F(CmdEndRenderPass)                       \
  A(CmdEndRenderPass2, KHR)                 \
  A(CmdEndRendering, KHR)                   \
  F(GetCalibratedTimestampsEXT)             \
  F(SetDebugUtilsObjectNameEXT)             \
  F(SetDebugUtilsObjectTagEXT)              \
  F(QueueBeginDebugUtilsLabelEXT)           \
  F(QueueEndDebugUtilsLabelEXT)             \
  F(QueueInsertDebugUtilsLabelEXT)          \
  F(CmdBeginDebugUtilsLabelEXT)             \
  F(CmdEndDebugUtilsLabelEXT)               \
  F(CmdInsertDebugUtilsLabelEXT)

#define REEL_VK_MEMBER(name) PFN_vk##name name = nullptr;
#define REEL_VK_LATE_MEMBER(name, suffix) PFN_vk##name name = nullptr;

struct InstanceFunctions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  REEL_VK_INSTANCE_FUNCTIONS(REEL_VK_MEMBER, REEL_VK_LATE_MEMBER)

  void load(VkInstance instance, PFN_vkGetInstanceProcAddr get);
};

struct DeviceFunctions {
  PFN_vkGetDeviceProcAddr GetDeviceProcAddr = nullptr;
  REEL_VK_DEVICE_FUNCTIONS(REEL_VK_MEMBER, REEL_VK_LATE_MEMBER)

  void load(VkDevice device, PFN_vkGetDeviceProcAddr get);
};

#undef REEL_VK_MEMBER
#undef REEL_VK_LATE_MEMBER

}  // namespace reel::layer::vk
