// plain_objects.hpp - hooks of objects that we know by what they were made with, and need nothing
// else of: {"vkCreateSampler", Create<&DeviceFunctions::CreateSampler, &Device::samplers,
// note_sampler>::call}, where note_sampler(device, info) makes our object.
#pragma once

#include "layers/vulkan/device.hpp"

namespace reel::layer::vk {

template <auto next, auto handles, auto note>
struct Create;
template <class Info, class Handle,
          VkResult (VKAPI_PTR* DeviceFunctions::*next)(VkDevice, const Info*,
                                                       const VkAllocationCallbacks*, Handle*),
          auto handles, auto note>
struct Create<next, handles, note> {
  static VkResult VKAPI_CALL call(VkDevice handle, const Info* info,
                                  const VkAllocationCallbacks* allocator, Handle* made) {
    Device& device = *device_of(handle);
    const VkResult result = (device.next.*next)(handle, info, allocator, made);
    if (result == VK_SUCCESS)
      device.note([&] { (device.*handles).add(*made, note(device, *info)); });
    return result;
  }
};

template <auto next, auto handles>
struct Destroy;
template <class Handle,
          void (VKAPI_PTR* DeviceFunctions::*next)(VkDevice, Handle, const VkAllocationCallbacks*),
          auto handles>
struct Destroy<next, handles> {
  static void VKAPI_CALL call(VkDevice handle, Handle object,
                              const VkAllocationCallbacks* allocator) {
    Device& device = *device_of(handle);
    (device.*handles).remove(object);
    (device.next.*next)(handle, object, allocator);
  }
};

}  // namespace reel::layer::vk
