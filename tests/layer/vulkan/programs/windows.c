// windows.c - work of which a capture sees only a part: memory that is mapped for ever or for a
// moment and written between submits, command buffers recorded before the capture, copies.
#include "advance.h"
#include "machine.h"
#include "scale.h"

enum { size = 4096 * 4, rounds = 6 };

int main(void) {
  Machine machine = open_machine();
  const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  Buffer mapped = make_buffer(&machine, size, usage), other = make_buffer(&machine, size, usage);
  fill_scrambled(mapped.bytes, size, 1);
  fill_scrambled(other.bytes, size, 2);
  vkUnmapMemory(machine.device, other.memory);
  Kernel advanced = make_kernel(&machine, SHADER(advance), 1, 8);
  Kernel scaled = make_kernel(&machine, SHADER(scale), 2, 8);
  VkDescriptorSet alone = BIND(&machine, &advanced, &mapped);
  VkDescriptorSet there = BIND(&machine, &scaled, &mapped, &other);
  VkCommandBuffer kept = begin_many(&machine);
  use(kept, &scaled, there);
  push_two(kept, &scaled, 3, 1);
  vkCmdDispatch(kept, groups_of(size), 1, 1);
  order_all(kept);
  CHECK(vkEndCommandBuffer(kept));
  for (uint32_t round = 0; round < rounds; ++round) {
    fill_scrambled((char*)mapped.bytes + round * 100, 500, round + 10);
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &advanced, alone);
    push_two(commands, &advanced, 5, round);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    order_all(commands);
    CHECK(vkEndCommandBuffer(commands));
    submit(&machine, 1, &commands, VK_NULL_HANDLE);
    run(&machine, kept);
    char* bytes = map_memory(&machine, other.memory);
    for (uint32_t i = 0; i < 64; ++i) bytes[i * 7] ^= (char)round;
    vkUnmapMemory(machine.device, other.memory);
    VkCommandBuffer back = begin_once(&machine);
    const VkBufferCopy part = {256, 1024, 2048};
    vkCmdCopyBuffer(back, other.buffer, mapped.buffer, 1, &part);
    order_all(back);
    vkCmdFillBuffer(back, other.buffer, 4096, 64, round);
    order_all(back);
    end_and_run(&machine, back);
    vkFreeCommandBuffers(machine.device, machine.commands, 1, &commands);
  }
  digest_buffer("mapped", &mapped);
  digest("other", map_memory(&machine, other.memory), size);
  FREE_KERNELS(&machine, &advanced, &scaled);
  FREE_BUFFERS(&machine, &mapped, &other);
  close_machine(&machine);
  return 0;
}
