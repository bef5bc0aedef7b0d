// allocations.c - dedicated memory, buffers that share bytes of one memory, memory made before its
// buffers and used by others after they are gone, buffers bound by the call for many.
#include "advance.h"
#include "machine.h"
#include "scale.h"

enum { size = 4096 * 4 };

static VkDescriptorSet set_of(const Machine* machine, const Kernel* kernel, VkBuffer from,
                              VkBuffer to) {
  VkDescriptorSet set = make_set(machine, kernel->set_layout);
  write_range(machine, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, from, 0, VK_WHOLE_SIZE);
  if (to) write_range(machine, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, to, 0, VK_WHOLE_SIZE);
  return set;
}

int main(void) {
  Machine machine = open_machine();
  const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer own = make_bare_buffer(&machine, size, usage);
  const VkMemoryDedicatedAllocateInfo dedicated = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .buffer = own};
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(machine.device, own, &needs);
  VkDeviceMemory own_memory = make_memory(&machine, needs.size, &dedicated);
  CHECK(vkBindBufferMemory(machine.device, own, own_memory, 0));
  void* own_bytes = map_memory(&machine, own_memory);
  fill_scrambled(own_bytes, size, 1);

  // 16 KiB that two buffers see, one of them from 4 KiB on; and a third over both.
  VkDeviceMemory shared = make_memory(&machine, 65536, NULL);
  char* shared_bytes = map_memory(&machine, shared);
  fill_scrambled(shared_bytes, 65536, 2);
  VkBuffer low = make_bare_buffer(&machine, size, usage);
  VkBuffer middle = make_bare_buffer(&machine, size, usage);
  VkBuffer both = make_bare_buffer(&machine, 4096 + size, usage | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkBindBufferMemoryInfo binds[] = {
      {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, NULL, low, shared, 0},
      {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, NULL, middle, shared, 4096},
      {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, NULL, both, shared, 0}};
  CHECK(vkBindBufferMemory2(machine.device, 3, binds));

  Kernel scaled = make_kernel(&machine, SHADER(scale), 2, 8);
  Kernel advanced = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDescriptorSet to_low = set_of(&machine, &scaled, own, low);
  VkDescriptorSet stir = set_of(&machine, &advanced, middle, VK_NULL_HANDLE);
  VkDescriptorSet back = set_of(&machine, &scaled, both, own);
  VkCommandBuffer commands = begin_once(&machine);
  use(commands, &scaled, to_low);
  push_two(commands, &scaled, 3, 1);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_kernels(commands);
  use(commands, &advanced, stir);
  push_two(commands, &advanced, 5, 7);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_all(commands);
  vkCmdFillBuffer(commands, both, 8192, 512, 0xabcdef01);
  order_all(commands);
  use(commands, &scaled, back);
  push_two(commands, &scaled, 9, 2);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest("own", own_bytes, size);
  digest("shared", shared_bytes, 65536);

  // The buffers go, their memory serves another one at another place: it keeps what they left.
  vkDestroyBuffer(machine.device, low, NULL);
  vkDestroyBuffer(machine.device, middle, NULL);
  vkDestroyBuffer(machine.device, both, NULL);
  VkBuffer later = make_bare_buffer(&machine, size, usage);
  CHECK(vkBindBufferMemory(machine.device, later, shared, 2048 - 2048 % needs.alignment));
  VkDescriptorSet last = set_of(&machine, &scaled, later, own);
  commands = begin_once(&machine);
  use(commands, &scaled, last);
  push_two(commands, &scaled, 11, 3);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest("later", own_bytes, size);
  vkDestroyBuffer(machine.device, later, NULL);
  vkDestroyBuffer(machine.device, own, NULL);
  vkFreeMemory(machine.device, shared, NULL);
  vkFreeMemory(machine.device, own_memory, NULL);
  FREE_KERNELS(&machine, &scaled, &advanced);
  close_machine(&machine);
  return 0;
}
