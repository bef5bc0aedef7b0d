// transfers.c - copies with several regions, fills of whole and odd ranges, updates, of both
// generations, between kernels; without any map in between.
#include "advance.h"
#include "machine.h"

enum { size = 65536 };

int main(void) {
  Machine machine = open_machine();
  const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  Buffer first = make_buffer(&machine, size, usage), second = make_buffer(&machine, size, usage);
  Buffer third = make_buffer(&machine, size + 20, usage);
  fill_scrambled(first.bytes, size, 1);
  fill_scrambled(second.bytes, size, 2);
  fill_scrambled(third.bytes, size + 20, 3);
  Kernel kernel = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDescriptorSet set = BIND(&machine, &kernel, &second);
  VkCommandBuffer commands = begin_many(&machine);
  const VkBufferCopy regions[] = {{0, 4096, 8192}, {20001, 13, 777}, {40000, 30000, 1}};
  vkCmdCopyBuffer(commands, first.buffer, second.buffer, COUNT(regions), regions);
  order_all(commands);
  use(commands, &kernel, set);
  push_two(commands, &kernel, 3, 4);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_all(commands);
  // Within one buffer, beside itself.
  const VkBufferCopy beside = {0, 32768, 16384};
  vkCmdCopyBuffer(commands, second.buffer, second.buffer, 1, &beside);
  const VkBufferCopy2 newer[] = {
      {.sType = VK_STRUCTURE_TYPE_BUFFER_COPY_2, .srcOffset = 100, .dstOffset = 8, .size = 4000},
      {.sType = VK_STRUCTURE_TYPE_BUFFER_COPY_2, .srcOffset = 9000, .dstOffset = 5000, .size = 64}};
  const VkCopyBufferInfo2 info = {.sType = VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2,
                                  .srcBuffer = first.buffer,
                                  .dstBuffer = third.buffer,
                                  .regionCount = 2,
                                  .pRegions = newer};
  vkCmdCopyBuffer2(commands, &info);
  order_all(commands);
  vkCmdFillBuffer(commands, first.buffer, 16, 400, 0x01020304);
  vkCmdFillBuffer(commands, third.buffer, 60000, VK_WHOLE_SIZE, 0xa5a5a5a5);
  unsigned char bytes[65536 / 16];
  fill_scrambled(bytes, sizeof bytes, 8);
  vkCmdUpdateBuffer(commands, second.buffer, 1024, sizeof bytes, bytes);
  memset(bytes, 0, sizeof bytes);  // taken when it was given
  order_all(commands);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_all(commands);
  const VkBufferCopy back = {0, 512, 60000};
  vkCmdCopyBuffer(commands, second.buffer, first.buffer, 1, &back);
  order_for_host(commands);
  CHECK(vkEndCommandBuffer(commands));
  for (int round = 0; round < 2; ++round) {
    run(&machine, commands);
    digest_buffer("first", &first);
    digest_buffer("second", &second);
    digest_buffer("third", &third);
  }
  free_kernel(&machine, &kernel);
  FREE_BUFFERS(&machine, &first, &second, &third);
  close_machine(&machine);
  return 0;
}
