// events.c - events: set and awaited within commands, of both generations, set by the host, asked
// for by the host, reset and used again.
#include "advance.h"
#include "machine.h"

enum { size = 2048 * 4 };

static VkEvent make_event(const Machine* machine) {
  const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
  VkEvent event;
  CHECK(vkCreateEvent(machine->device, &info, NULL, &event));
  return event;
}

int main(void) {
  const VkPhysicalDeviceVulkan13Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .synchronization2 = VK_TRUE};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  Buffer values = make_storage(&machine, size, 1), other = make_storage(&machine, size, 2);
  Kernel kernel = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDescriptorSet set = BIND(&machine, &kernel, &values), beside = BIND(&machine, &kernel, &other);
  VkEvent event = make_event(&machine), second = make_event(&machine), host = make_event(&machine);
  const VkMemoryBarrier memory = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  const VkMemoryBarrier2 memory2 = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
      .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
      .srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
      .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
      .dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT};
  const VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                       .memoryBarrierCount = 1,
                                       .pMemoryBarriers = &memory2};
  for (uint32_t round = 0; round < 3; ++round) {
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &kernel, set);
    push_two(commands, &kernel, 3, round);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    vkCmdSetEvent(commands, event, shader_stage);
    use(commands, &kernel, beside);  // between set and wait, beside what they order
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    vkCmdWaitEvents(commands, 1, &event, shader_stage, shader_stage, 1, &memory, 0, NULL, 0, NULL);
    use(commands, &kernel, set);
    push_two(commands, &kernel, 5, round);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    vkCmdSetEvent2(commands, second, &dependency);
    vkCmdWaitEvents2(commands, 1, &second, &dependency);
    push_two(commands, &kernel, 7, round);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    vkCmdResetEvent(commands, event, shader_stage);
    vkCmdResetEvent2(commands, second, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
    vkCmdSetEvent(commands, host, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    order_for_host(commands);
    CHECK(vkEndCommandBuffer(commands));
    VkFence fence = make_fence(&machine);
    submit(&machine, 1, &commands, fence);
    while (vkGetEventStatus(machine.device, host) == VK_EVENT_RESET) {
    }
    wait_fence(&machine, fence);
    vkDestroyFence(machine.device, fence, NULL);
    CHECK(vkResetEvent(machine.device, host));
    digest_buffer("values", &values);
    digest_buffer("other", &other);
  }
  // Set by the host before the work is given.
  CHECK(vkSetEvent(machine.device, event));
  const VkMemoryBarrier from_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_HOST_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_SHADER_READ_BIT};
  fill_scrambled(values.bytes, size / 2, 77);
  VkCommandBuffer commands = begin_once(&machine);
  vkCmdWaitEvents(commands, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, shader_stage, 1, &from_host, 0,
                  NULL, 0, NULL);
  use(commands, &kernel, set);
  push_two(commands, &kernel, 11, 1);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest_buffer("values", &values);
  vkDestroyEvent(machine.device, event, NULL);
  vkDestroyEvent(machine.device, second, NULL);
  vkDestroyEvent(machine.device, host, NULL);
  free_kernel(&machine, &kernel);
  FREE_BUFFERS(&machine, &values, &other);
  close_machine(&machine);
  return 0;
}
