// racing_host.c - BUGGY: the host changes memory while a copy of it is under way, without waiting.
// What the copy takes is a matter of time, so it prints only that it ran.
#include "machine.h"
#include "slow.h"

enum { size = 1 << 20 };

int main(void) {
  Machine machine = open_machine();
  const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  Buffer from = make_buffer(&machine, size, usage), to = make_buffer(&machine, size, usage);
  Buffer busy = make_storage(&machine, 65536, 3);
  fill_scrambled(from.bytes, size, 1);
  Kernel kernel = make_kernel(&machine, SHADER(slow), 1, 8);
  VkDescriptorSet set = BIND(&machine, &kernel, &busy);
  for (uint32_t round = 0; round < 4; ++round) {
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &kernel, set);  // so that the copy comes late
    push_two(commands, &kernel, 500, 1);
    vkCmdDispatch(commands, groups_of(65536), 1, 1);
    order_all(commands);
    const VkBufferCopy all = {0, 0, size};
    vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &all);
    order_for_host(commands);
    CHECK(vkEndCommandBuffer(commands));
    VkFence fence = make_fence(&machine);
    submit(&machine, 1, &commands, fence);
    fill_scrambled(from.bytes, size / 2, round + 9);  // too early
    wait_fence(&machine, fence);
    vkDestroyFence(machine.device, fence, NULL);
    vkFreeCommandBuffers(machine.device, machine.commands, 1, &commands);
  }
  printf("ran\n");
  free_kernel(&machine, &kernel);
  FREE_BUFFERS(&machine, &from, &to, &busy);
  close_machine(&machine);
  return 0;
}
