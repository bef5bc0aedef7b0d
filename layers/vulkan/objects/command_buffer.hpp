// command_buffer.hpp - command pools and buffers of the program.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "layers/vulkan/device.hpp"
#include "layers/vulkan/objects/op_list.hpp"

namespace reel::layer::vk {

struct CommandBuffer final : Object {
  // Of a hook that records: the device's own functions, at hand without a second look-up.
  const DeviceFunctions* next = nullptr;
  std::shared_ptr<Device> device;
  VkCommandBuffer handle = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  bool is_secondary = false;
  OpList ops;
};

// The one with this handle; where no memory was left to note it, one that stands for all such of
// its device and takes no commands.
inline CommandBuffer& command_buffer(VkCommandBuffer handle) noexcept {
  if (CommandBuffer* known = command_buffers().find(handle)) [[likely]]
    return *known;
  return *device_of(handle)->unnoted_commands;
}

struct CommandPool final : Object {
  VkCommandPool handle = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  std::vector<VkCommandBuffer> buffers;  // pools are for one thread at a time
};

}  // namespace reel::layer::vk
