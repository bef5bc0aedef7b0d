#include "layers/vulkan/batch_view.hpp"

#include "layers/vulkan/device.hpp"

namespace reel::layer::vk {

namespace {

// 0: all of them; so says the top of the pipe, which all come behind. None at all is said by its
// bottom.
std::uint64_t waiting_stages(VkPipelineStageFlags2 mask) {
  if (mask & (VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT)) return 0;
  return mask ? mask : VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;
}

}  // namespace

BatchView view_of(const VkSubmitInfo& info) {
  BatchView view;
  const auto* values = find_in<VkTimelineSemaphoreSubmitInfo>(
      info.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  view.commands.assign(info.pCommandBuffers, info.pCommandBuffers + info.commandBufferCount);
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i)
    view.waits.push_back(
        {{info.pWaitSemaphores[i],
          values && i < values->waitSemaphoreValueCount ? values->pWaitSemaphoreValues[i] : 0},
         waiting_stages(info.pWaitDstStageMask[i])});
  for (std::uint32_t i = 0; i < info.signalSemaphoreCount; ++i)
    view.signals.push_back(
        {info.pSignalSemaphores[i],
         values && i < values->signalSemaphoreValueCount ? values->pSignalSemaphoreValues[i] : 0});
  // Its masks count command buffers.
  view.may_be_added_to =
      !find_in<VkDeviceGroupSubmitInfo>(info.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO) &&
      !find_in<VkProtectedSubmitInfo>(info.pNext, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO);
  return view;
}

BatchView view_of(const VkSubmitInfo2& info) {
  BatchView view;
  for (std::uint32_t i = 0; i < info.commandBufferInfoCount; ++i)
    view.commands.push_back(info.pCommandBufferInfos[i].commandBuffer);
  for (std::uint32_t i = 0; i < info.waitSemaphoreInfoCount; ++i)
    view.waits.push_back(
        {{info.pWaitSemaphoreInfos[i].semaphore, info.pWaitSemaphoreInfos[i].value},
         waiting_stages(info.pWaitSemaphoreInfos[i].stageMask)});
  for (std::uint32_t i = 0; i < info.signalSemaphoreInfoCount; ++i)
    view.signals.push_back(
        {info.pSignalSemaphoreInfos[i].semaphore, info.pSignalSemaphoreInfos[i].value});
  view.may_be_added_to = !(info.flags & VK_SUBMIT_PROTECTED_BIT);
  return view;
}

void put_around(VkSubmitInfo& info, const Ours& ours, Extended& lists) {
  ours.for_each(
      info.commandBufferCount,
      [&](VkCommandBuffer commands) { lists.commands.push_back(commands); },
      [&](std::size_t i) { lists.commands.push_back(info.pCommandBuffers[i]); });
  info.pCommandBuffers = lists.commands.data();
  info.commandBufferCount = static_cast<std::uint32_t>(lists.commands.size());
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i)
    lists.stages.push_back(info.pWaitDstStageMask[i] | VK_PIPELINE_STAGE_TRANSFER_BIT);
  if (!lists.stages.empty()) info.pWaitDstStageMask = lists.stages.data();
}

void put_around(VkSubmitInfo2& info, const Ours& ours, Extended& lists) {
  const auto add = [&](VkCommandBuffer commands) {
    VkCommandBufferSubmitInfo one{};
    one.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
    one.commandBuffer = commands;
    lists.command_infos.push_back(one);
  };
  ours.for_each(info.commandBufferInfoCount, add,
                [&](std::size_t i) { lists.command_infos.push_back(info.pCommandBufferInfos[i]); });
  info.pCommandBufferInfos = lists.command_infos.data();
  info.commandBufferInfoCount = static_cast<std::uint32_t>(lists.command_infos.size());
  lists.wait_infos.assign(info.pWaitSemaphoreInfos,
                          info.pWaitSemaphoreInfos + info.waitSemaphoreInfoCount);
  for (VkSemaphoreSubmitInfo& wait : lists.wait_infos)
    wait.stageMask |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  if (!lists.wait_infos.empty()) info.pWaitSemaphoreInfos = lists.wait_infos.data();
}

}  // namespace reel::layer::vk
