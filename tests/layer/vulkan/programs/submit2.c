// submit2.c - the second generation of submits and barriers: stages of all kinds, buffer barriers,
// several command buffers and semaphores, a submit of nothing.
#include "advance.h"
#include "machine.h"
#include "scale.h"

enum { size = 4096 * 4 };

int main(void) {
  const VkPhysicalDeviceVulkan12Features older = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .timelineSemaphore = VK_TRUE};
  const VkPhysicalDeviceVulkan13Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
      .pNext = (void*)&older,
      .synchronization2 = VK_TRUE};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  Buffer first = make_storage(&machine, size, 1), second = make_storage(&machine, size, 2);
  Kernel scaled = make_kernel(&machine, SHADER(scale), 2, 8);
  Kernel advanced = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDescriptorSet there = BIND(&machine, &scaled, &first, &second);
  VkDescriptorSet stir = BIND(&machine, &advanced, &second);
  const VkBufferMemoryBarrier2 range = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
      .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
      .srcAccessMask = VK_ACCESS_2_SHADER_WRITE_BIT,
      .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_COPY_BIT,
      .dstAccessMask = VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT |
                       VK_ACCESS_2_TRANSFER_READ_BIT,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .buffer = second.buffer,
      .size = VK_WHOLE_SIZE};
  const VkMemoryBarrier2 host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                 .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                 .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
                                 .dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT,
                                 .dstAccessMask = VK_ACCESS_2_HOST_READ_BIT};
  const VkDependencyInfo between = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                    .bufferMemoryBarrierCount = 1,
                                    .pBufferMemoryBarriers = &range};
  const VkDependencyInfo last = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                 .memoryBarrierCount = 1,
                                 .pMemoryBarriers = &host};
  VkCommandBuffer one = begin_many(&machine);
  VkCommandBuffer two = make_commands(&machine, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  begin(two, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  use(one, &scaled, there);
  push_two(one, &scaled, 3, 2);
  vkCmdDispatch(one, groups_of(size), 1, 1);
  vkCmdPipelineBarrier2(one, &between);  // with what comes in the next command buffer
  CHECK(vkEndCommandBuffer(one));
  use(two, &advanced, stir);
  push_two(two, &advanced, 5, 3);
  vkCmdDispatch(two, groups_of(size), 1, 1);
  vkCmdPipelineBarrier2(two, &last);
  CHECK(vkEndCommandBuffer(two));
  const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                           .pNext = &type};
  VkSemaphore line;
  CHECK(vkCreateSemaphore(machine.device, &semaphore, NULL, &line));
  VkFence fence = make_fence(&machine);
  for (uint64_t round = 0; round < 4; ++round) {
    const VkCommandBufferSubmitInfo given[] = {
        {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = one},
        {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = two}};
    const VkSemaphoreSubmitInfo waits = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                         .semaphore = line,
                                         .value = round * 2 + 1,
                                         .stageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT};
    const VkSemaphoreSubmitInfo signals[] = {{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                              .semaphore = line,
                                              .value = round * 2 + 1,
                                              .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT},
                                             {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                              .semaphore = line,
                                              .value = round * 2 + 2,
                                              .stageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT}};
    const VkSubmitInfo2 infos[] = {{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                    .commandBufferInfoCount = 2,
                                    .pCommandBufferInfos = given,
                                    .signalSemaphoreInfoCount = 1,
                                    .pSignalSemaphoreInfos = &signals[0]},
                                   {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                    .waitSemaphoreInfoCount = 1,
                                    .pWaitSemaphoreInfos = &waits,
                                    .commandBufferInfoCount = 1,
                                    .pCommandBufferInfos = &given[1],
                                    .signalSemaphoreInfoCount = 1,
                                    .pSignalSemaphoreInfos = &signals[1]}};
    CHECK(vkQueueSubmit2(machine.queue, 2, infos, fence));
    wait_fence(&machine, fence);
    CHECK(vkResetFences(machine.device, 1, &fence));
    fill_scrambled(first.bytes, 999, (uint32_t)round + 50);
    digest_buffer("round", &second);
  }
  CHECK(vkQueueSubmit2(machine.queue, 0, NULL, fence));
  CHECK(vkQueueSubmit(machine.queue, 0, NULL, VK_NULL_HANDLE));
  wait_fence(&machine, fence);
  vkDestroySemaphore(machine.device, line, NULL);
  vkDestroyFence(machine.device, fence, NULL);
  FREE_KERNELS(&machine, &scaled, &advanced);
  FREE_BUFFERS(&machine, &first, &second);
  close_machine(&machine);
  return 0;
}
