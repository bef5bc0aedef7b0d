// semaphores.c - binary and timeline semaphores between submits, a submit that waits for the host,
// values that are asked for again and again, waits for any of several.
#include "advance.h"
#include "machine.h"
#include "scale.h"

enum { size = 8192 * 4 };

static VkSemaphore make_semaphore(const Machine* machine, VkSemaphoreType type) {
  const VkSemaphoreTypeCreateInfo kind = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = type,
                                          .initialValue = type ? 10 : 0};
  const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                      .pNext = &kind};
  VkSemaphore semaphore;
  CHECK(vkCreateSemaphore(machine->device, &info, NULL, &semaphore));
  return semaphore;
}

int main(void) {
  const VkPhysicalDeviceVulkan12Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .timelineSemaphore = VK_TRUE};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  Buffer first = make_storage(&machine, size, 1), second = make_storage(&machine, size, 2);
  Kernel scaled = make_kernel(&machine, SHADER(scale), 2, 8);
  Kernel advanced = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDescriptorSet there = BIND(&machine, &scaled, &first, &second);
  VkDescriptorSet stir = BIND(&machine, &advanced, &second);
  VkCommandBuffer work[2] = {begin_many(&machine), begin_many(&machine)};
  use(work[0], &scaled, there);
  push_two(work[0], &scaled, 3, 2);
  vkCmdDispatch(work[0], groups_of(size), 1, 1);
  use(work[1], &advanced, stir);
  push_two(work[1], &advanced, 5, 2);
  vkCmdDispatch(work[1], groups_of(size), 1, 1);
  for (int i = 0; i < 2; ++i) {
    order_for_host(work[i]);
    CHECK(vkEndCommandBuffer(work[i]));
  }
  VkSemaphore pair = make_semaphore(&machine, VK_SEMAPHORE_TYPE_BINARY);
  VkSemaphore line = make_semaphore(&machine, VK_SEMAPHORE_TYPE_TIMELINE);
  VkSemaphore never = make_semaphore(&machine, VK_SEMAPHORE_TYPE_TIMELINE);
  const VkPipelineStageFlags stage = shader_stage;
  uint64_t value = 10;
  for (int round = 0; round < 5; ++round) {
    // Where work waits for the host, lavapipe 22.3 never sees a binary semaphore signalled.
    const uint32_t skip = round % 2;
    // The first waits for a value that the host sets once it has written what it reads.
    const uint64_t begin_value = ++value, mid = ++value, end = ++value;
    const VkTimelineSemaphoreSubmitInfo values[2] = {
        {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
         .waitSemaphoreValueCount = 1,
         .pWaitSemaphoreValues = &begin_value,
         .signalSemaphoreValueCount = 2 - skip,
         .pSignalSemaphoreValues = (uint64_t[]){0, mid} + skip},
        {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
         .waitSemaphoreValueCount = 2 - skip,
         .pWaitSemaphoreValues = (uint64_t[]){0, mid} + skip,
         .signalSemaphoreValueCount = 1,
         .pSignalSemaphoreValues = &end}};
    const VkSemaphore both[2] = {pair, line};
    const VkPipelineStageFlags stages[2] = {shader_stage, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
    const VkSubmitInfo infos[2] = {{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                    .pNext = &values[0],
                                    .waitSemaphoreCount = 1,
                                    .pWaitSemaphores = &line,
                                    .pWaitDstStageMask = &stage,
                                    .commandBufferCount = 1,
                                    .pCommandBuffers = &work[0],
                                    .signalSemaphoreCount = 2 - skip,
                                    .pSignalSemaphores = both + skip},
                                   {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                    .pNext = &values[1],
                                    .waitSemaphoreCount = 2 - skip,
                                    .pWaitSemaphores = both + skip,
                                    .pWaitDstStageMask = stages + skip,
                                    .commandBufferCount = 1,
                                    .pCommandBuffers = &work[1],
                                    .signalSemaphoreCount = 1,
                                    .pSignalSemaphores = &line}};
    const VkSemaphoreSignalInfo go = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = line, .value = begin_value};
    // Both ways: the work is there before it may begin, and the other way round.
    if (round % 2) CHECK(vkQueueSubmit(machine.queue, 2, infos, VK_NULL_HANDLE));
    fill_scrambled(first.bytes, size, (uint32_t)round + 20);
    CHECK(vkSignalSemaphore(machine.device, &go));
    if (round % 2 == 0) CHECK(vkQueueSubmit(machine.queue, 2, infos, VK_NULL_HANDLE));
    if (round == 2) {
      for (uint64_t now = 0; now < end;)
        CHECK(vkGetSemaphoreCounterValue(machine.device, line, &now));
    } else {
      const VkSemaphore waited[2] = {never, line};
      const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                        .flags = round == 3 ? VK_SEMAPHORE_WAIT_ANY_BIT : 0,
                                        .semaphoreCount = round == 3 ? 2 : 1,
                                        .pSemaphores = round == 3 ? waited : &line,
                                        .pValues = round == 3 ? (uint64_t[]){1000000, end} : &end};
      CHECK(vkWaitSemaphores(machine.device, &wait, UINT64_MAX));
    }
    digest_buffer("round", &second);
  }
  CHECK(vkDeviceWaitIdle(machine.device));
  vkDestroySemaphore(machine.device, pair, NULL);
  vkDestroySemaphore(machine.device, line, NULL);
  vkDestroySemaphore(machine.device, never, NULL);
  FREE_KERNELS(&machine, &scaled, &advanced);
  FREE_BUFFERS(&machine, &first, &second);
  close_machine(&machine);
  return 0;
}
