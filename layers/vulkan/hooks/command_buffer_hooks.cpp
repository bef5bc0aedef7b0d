// Command pools and buffers: which there are, and when what was recorded is thrown away.
#include <algorithm>

#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/objects/command_buffer.hpp"
#include "layers/vulkan/stamps/ticks.hpp"

namespace reel::layer::vk {

namespace {

VkResult VKAPI_CALL create_pool(VkDevice handle, const VkCommandPoolCreateInfo* info,
                                const VkAllocationCallbacks* allocator, VkCommandPool* pool) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.CreateCommandPool(handle, info, allocator, pool);
  if (result == VK_SUCCESS)
    device.note([&] {
      auto made = std::make_shared<CommandPool>();
      made->handle = *pool;
      made->family = info->queueFamilyIndex;
      made->is_protected = info->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT;
      device.command_pools.add(*pool, std::move(made));
    });
  return result;
}

void VKAPI_CALL destroy_pool(VkDevice handle, VkCommandPool pool,
                             const VkAllocationCallbacks* allocator) {
  Device& device = *device_of(handle);
  if (const auto known = device.command_pools.remove(pool))
    for (const VkCommandBuffer buffer : known->buffers) command_buffers().remove(buffer);
  device.next.DestroyCommandPool(handle, pool, allocator);
}

VkResult VKAPI_CALL reset_pool(VkDevice handle, VkCommandPool pool, VkCommandPoolResetFlags flags) {
  Device& device = *device_of(handle);
  if (const CommandPool* known = device.command_pools.find(pool))
    for (const VkCommandBuffer buffer : known->buffers)
      if (CommandBuffer* commands = command_buffers().find(buffer)) commands->clear();
  return device.next.ResetCommandPool(handle, pool, flags);
}

VkResult VKAPI_CALL allocate(VkDevice handle, const VkCommandBufferAllocateInfo* info,
                             VkCommandBuffer* buffers) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.AllocateCommandBuffers(handle, info, buffers);
  if (result != VK_SUCCESS) return result;
  quietly([&] {
    CommandPool* pool = device.command_pools.find(info->commandPool);
    for (std::uint32_t i = 0; i < info->commandBufferCount; ++i) {
      auto made = std::make_shared<CommandBuffer>();
      made->device = device.share();
      made->next = &made->device->next;
      made->handle = buffers[i];
      made->pool = info->commandPool;
      made->is_secondary = info->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
      made->can_stamp = pool && !pool->is_protected && !why_no_stamps(device, pool->family);
      made->may_keep = pool && !pool->is_protected && !made->is_secondary;
      if (pool) pool->buffers.push_back(buffers[i]);
      command_buffers().add(buffers[i], std::move(made));
    }
  });
  return result;
}

void VKAPI_CALL free_buffers(VkDevice handle, VkCommandPool pool, std::uint32_t count,
                             const VkCommandBuffer* buffers) {
  Device& device = *device_of(handle);
  CommandPool* known = device.command_pools.find(pool);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!buffers[i]) continue;
    command_buffers().remove(buffers[i]);
    if (known) std::erase(known->buffers, buffers[i]);
  }
  device.next.FreeCommandBuffers(handle, pool, count, buffers);
}

VkResult VKAPI_CALL begin(VkCommandBuffer handle, const VkCommandBufferBeginInfo* info) {
  CommandBuffer* commands = command_buffers().find(handle);
  if (!commands) return device_of(handle)->next.BeginCommandBuffer(handle, info);
  commands->clear();
  commands->begin_stamps(info->flags);
  commands->begin_keeping(info->flags);
  return commands->next->BeginCommandBuffer(handle, info);
}

VkResult VKAPI_CALL reset(VkCommandBuffer handle, VkCommandBufferResetFlags flags) {
  CommandBuffer* commands = command_buffers().find(handle);
  if (!commands) return device_of(handle)->next.ResetCommandBuffer(handle, flags);
  commands->clear();
  return commands->next->ResetCommandBuffer(handle, flags);
}

}  // namespace

std::span<const Hook> command_buffer_hooks() {
  static const Hook hooks[] = {
      {"vkCreateCommandPool", create_pool},   {"vkDestroyCommandPool", destroy_pool},
      {"vkResetCommandPool", reset_pool},     {"vkAllocateCommandBuffers", allocate},
      {"vkFreeCommandBuffers", free_buffers}, {"vkBeginCommandBuffer", begin},
      {"vkResetCommandBuffer", reset},
  };
  return hooks;
}

}  // namespace reel::layer::vk
