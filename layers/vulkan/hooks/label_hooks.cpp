// Names that programs give to objects, and to parts of what they record and submit.
#include <cstring>

#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/objects/command_buffer.hpp"
#include "layers/vulkan/objects/names.hpp"
#include "layers/vulkan/objects/queue.hpp"

namespace reel::layer::vk {

namespace {

VkResult VKAPI_CALL set_name(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT* info) {
  Device& device = *device_of(handle);
  quietly([&] {
    name_object(device, info->objectType, info->objectHandle,
                info->pObjectName ? info->pObjectName : "");
  });
  return device.next.SetDebugUtilsObjectNameEXT
             ? device.next.SetDebugUtilsObjectNameEXT(handle, info)
             : VK_SUCCESS;
}

VkResult VKAPI_CALL set_tag(VkDevice handle, const VkDebugUtilsObjectTagInfoEXT* info) {
  const Device& device = *device_of(handle);
  return device.next.SetDebugUtilsObjectTagEXT ? device.next.SetDebugUtilsObjectTagEXT(handle, info)
                                               : VK_SUCCESS;
}

void VKAPI_CALL begin_in_buffer(VkCommandBuffer handle, const VkDebugUtilsLabelEXT* info) {
  CommandBuffer& commands = command_buffer(handle);
  const std::size_t size = info->pLabelName ? std::strlen(info->pLabelName) : 0;
  if (auto* op = commands.ops.add<LabelOp>(OpKind::begin_label, size)) {
    *op = {static_cast<std::uint32_t>(size)};
    if (size) std::memcpy(OpList::behind(op), info->pLabelName, size);
  }
  if (commands.next->CmdBeginDebugUtilsLabelEXT)
    commands.next->CmdBeginDebugUtilsLabelEXT(handle, info);
}

void VKAPI_CALL end_in_buffer(VkCommandBuffer handle) {
  struct Nothing {};
  CommandBuffer& commands = command_buffer(handle);
  commands.ops.add<Nothing>(OpKind::end_label);
  if (commands.next->CmdEndDebugUtilsLabelEXT) commands.next->CmdEndDebugUtilsLabelEXT(handle);
}

void VKAPI_CALL insert_in_buffer(VkCommandBuffer handle, const VkDebugUtilsLabelEXT* info) {
  const Device& device = *device_of(handle);
  if (device.next.CmdInsertDebugUtilsLabelEXT)
    device.next.CmdInsertDebugUtilsLabelEXT(handle, info);
}

void VKAPI_CALL begin_in_queue(VkQueue handle, const VkDebugUtilsLabelEXT* info) {
  const Device& device = *device_of(handle);
  quietly([&] {
    if (const auto queue = queue_of(handle)) {
      const std::lock_guard lock(queue->mutex);
      queue->labels.emplace_back(info->pLabelName ? info->pLabelName : "");
    }
  });
  if (device.next.QueueBeginDebugUtilsLabelEXT)
    device.next.QueueBeginDebugUtilsLabelEXT(handle, info);
}

void VKAPI_CALL end_in_queue(VkQueue handle) {
  const Device& device = *device_of(handle);
  quietly([&] {
    if (const auto queue = queue_of(handle)) {
      const std::lock_guard lock(queue->mutex);
      if (!queue->labels.empty()) queue->labels.pop_back();
    }
  });
  if (device.next.QueueEndDebugUtilsLabelEXT) device.next.QueueEndDebugUtilsLabelEXT(handle);
}

void VKAPI_CALL insert_in_queue(VkQueue handle, const VkDebugUtilsLabelEXT* info) {
  const Device& device = *device_of(handle);
  if (device.next.QueueInsertDebugUtilsLabelEXT)
    device.next.QueueInsertDebugUtilsLabelEXT(handle, info);
}

}  // namespace

std::span<const Hook> label_hooks() {
  static const Hook hooks[] = {
      {"vkSetDebugUtilsObjectNameEXT", set_name, true},
      {"vkSetDebugUtilsObjectTagEXT", set_tag, true},
      {"vkCmdBeginDebugUtilsLabelEXT", begin_in_buffer, true},
      {"vkCmdEndDebugUtilsLabelEXT", end_in_buffer, true},
      {"vkCmdInsertDebugUtilsLabelEXT", insert_in_buffer, true},
      {"vkQueueBeginDebugUtilsLabelEXT", begin_in_queue, true},
      {"vkQueueEndDebugUtilsLabelEXT", end_in_queue, true},
      {"vkQueueInsertDebugUtilsLabelEXT", insert_in_queue, true},
  };
  return hooks;
}

}  // namespace reel::layer::vk
