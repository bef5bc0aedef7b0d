// resubmitted.c - the same command buffer given again and again, several of them in one submit, one
// of them twice in one; memory and descriptors change in between, and pools are reset.
#include "advance.h"
#include "machine.h"
#include "scale.h"

enum { size = 4096 * 4 };

int main(void) {
  Machine machine = open_machine();
  Buffer first = make_storage(&machine, size, 1), second = make_storage(&machine, size, 2);
  Buffer third = make_storage(&machine, size, 3);
  Kernel scaled = make_kernel(&machine, SHADER(scale), 2, 8);
  Kernel advanced = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDescriptorSet there = BIND(&machine, &scaled, &first, &second);
  VkDescriptorSet alone = BIND(&machine, &advanced, &first);
  VkCommandBuffer one = begin_many(&machine);
  use(one, &scaled, there);
  push_two(one, &scaled, 3, 5);
  vkCmdDispatch(one, groups_of(size), 1, 1);
  order_all(one);
  CHECK(vkEndCommandBuffer(one));
  VkCommandBuffer other = make_commands(&machine, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  begin(other, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  use(other, &advanced, alone);
  push_two(other, &advanced, 5, 1);
  vkCmdDispatch(other, groups_of(size), 1, 1);
  order_all(other);
  CHECK(vkEndCommandBuffer(other));
  for (uint32_t round = 0; round < 20; ++round) {
    if (round % 5 == 4) fill_scrambled(first.bytes, 1000, round);
    run(&machine, one);
    const VkCommandBuffer all[] = {other, one, other, other};
    VkFence fence = make_fence(&machine);
    submit(&machine, COUNT(all), all, fence);
    submit(&machine, 1, &other, VK_NULL_HANDLE);  // while the first may be under way
    wait_fence(&machine, fence);
    CHECK(vkQueueWaitIdle(machine.queue));
    vkDestroyFence(machine.device, fence, NULL);
    if (round == 10) {  // what holds at submit counts, so the buffer is recorded again
      write_storage(&machine, there, 1, &third);
      CHECK(vkResetCommandBuffer(one, 0));
      begin(one, 0);
      use(one, &scaled, there);
      push_two(one, &scaled, 7, 9);
      vkCmdDispatch(one, groups_of(size), 1, 1);
      order_all(one);
      CHECK(vkEndCommandBuffer(one));
    }
  }
  // Three submits in one call.
  const VkSubmitInfo infos[3] = {
      {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &other},
      {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO},
      {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &one}};
  CHECK(vkQueueSubmit(machine.queue, 3, infos, VK_NULL_HANDLE));
  CHECK(vkDeviceWaitIdle(machine.device));
  CHECK(vkResetCommandPool(machine.device, machine.commands, 0));
  begin(one, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);  // the same handle, other work
  use(one, &advanced, alone);
  push_two(one, &advanced, 11, 4);
  vkCmdDispatch(one, groups_of(size) / 2, 1, 1);
  order_for_host(one);
  CHECK(vkEndCommandBuffer(one));
  run(&machine, one);
  digest_buffer("first", &first);
  digest_buffer("second", &second);
  digest_buffer("third", &third);
  FREE_KERNELS(&machine, &scaled, &advanced);
  FREE_BUFFERS(&machine, &first, &second, &third);
  close_machine(&machine);
  return 0;
}
