// many.c - much of everything: thousands of dispatches in a command buffer that is given again,
// thousands of buffers in one memory, thousands of sets.
#include "advance.h"
#include "machine.h"

enum { buffers = 2000, each = 1024, dispatches = 6000, rounds = 2 };

int main(void) {
  Machine machine = open_machine();
  VkDeviceMemory memory = make_memory(&machine, (VkDeviceSize)buffers * each, NULL);
  char* bytes = map_memory(&machine, memory);
  fill_scrambled(bytes, (size_t)buffers * each, 1);
  Kernel kernel = make_kernel(&machine, SHADER(advance), 1, 8);
  const VkDescriptorPoolSize sizes = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers};
  const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                           .maxSets = buffers,
                                           .poolSizeCount = 1,
                                           .pPoolSizes = &sizes};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(machine.device, &info, NULL, &pool));
  Machine pooled = machine;
  pooled.sets = pool;
  static VkBuffer all[buffers];
  static VkDescriptorSet sets[buffers];
  for (uint32_t i = 0; i < buffers; ++i) {
    all[i] = make_bare_buffer(&machine, each, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    CHECK(vkBindBufferMemory(machine.device, all[i], memory, (VkDeviceSize)i * each));
    sets[i] = make_set(&pooled, kernel.set_layout);
    write_range(&machine, sets[i], 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, all[i], 0, each);
  }
  VkCommandBuffer commands = begin_many(&machine);
  for (uint32_t i = 0; i < dispatches; ++i) {
    if (i % buffers == 0) order_kernels(commands);
    use(commands, &kernel, sets[i % buffers]);
    push_two(commands, &kernel, 3, i);
    vkCmdDispatch(commands, groups_of(each), 1, 1);
  }
  order_for_host(commands);
  CHECK(vkEndCommandBuffer(commands));
  for (uint32_t round = 0; round < rounds; ++round) {
    bytes[round * 1000] ^= 1;
    run(&machine, commands);
    digest("round", bytes, (size_t)buffers * each);
  }
  for (uint32_t i = 0; i < buffers; ++i) vkDestroyBuffer(machine.device, all[i], NULL);
  vkFreeMemory(machine.device, memory, NULL);
  vkDestroyDescriptorPool(machine.device, pool, NULL);
  free_kernel(&machine, &kernel);
  close_machine(&machine);
  return 0;
}
