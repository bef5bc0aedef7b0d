// aliased.c - buffers over the same bytes, bound in any order: small ones under a larger one, some
// that overlap at an end, one over what a kernel has just left; and they go one after the other
// while the rest is used.
#include "advance.h"
#include "machine.h"

enum { page = 4096, size = 4 * page };

static VkBuffer bound_at(const Machine* machine, VkDeviceMemory memory, VkDeviceSize at,
                         VkDeviceSize bytes) {
  VkBuffer made = make_bare_buffer(
      machine, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  CHECK(vkBindBufferMemory(machine->device, made, memory, at));
  return made;
}

static void stir(const Machine* machine, const Kernel* kernel, VkBuffer buffer, VkDeviceSize bytes,
                 uint32_t salt) {
  VkDescriptorSet set = make_set(machine, kernel->set_layout);
  write_range(machine, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffer, 0, VK_WHOLE_SIZE);
  VkCommandBuffer commands = begin_once(machine);
  use(commands, kernel, set);
  push_two(commands, kernel, salt, salt + 2);
  vkCmdDispatch(commands, groups_of(bytes), 1, 1);
  order_all(commands);
  vkCmdFillBuffer(commands, buffer, bytes / 2, 64, salt * 0x01010101);
  order_for_host(commands);
  end_and_run(machine, commands);
}

int main(void) {
  Machine machine = open_machine();
  Kernel kernel = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDeviceMemory memory = make_memory(&machine, size, NULL);
  char* bytes = map_memory(&machine, memory);
  fill_scrambled(bytes, size, 1);

  // Two small ones, then one that is over both.
  VkBuffer first = bound_at(&machine, memory, 0, page);
  VkBuffer second = bound_at(&machine, memory, 2 * page, page);
  VkBuffer over = bound_at(&machine, memory, 0, 3 * page);
  stir(&machine, &kernel, first, page, 3);
  stir(&machine, &kernel, over, 3 * page, 5);
  stir(&machine, &kernel, second, page, 7);
  digest("over", bytes, size);

  // One more, over the end of what kernels left and bytes that nobody had: the host writes both.
  bytes[3 * page + 5] = 77;
  bytes[page + 9] = 78;
  VkBuffer behind = bound_at(&machine, memory, 3 * page - 256, page);
  stir(&machine, &kernel, behind, page, 9);
  stir(&machine, &kernel, over, 3 * page, 11);
  digest("behind", bytes, size);

  // The largest goes; others have its bytes still.
  vkDestroyBuffer(machine.device, over, NULL);
  stir(&machine, &kernel, second, page, 13);
  vkDestroyBuffer(machine.device, second, NULL);
  stir(&machine, &kernel, behind, page, 15);
  stir(&machine, &kernel, first, page, 17);
  digest("left", bytes, size);
  vkDestroyBuffer(machine.device, first, NULL);
  vkDestroyBuffer(machine.device, behind, NULL);

  // Another one, of the same bytes, that none of those was.
  VkBuffer last = bound_at(&machine, memory, page / 2, 3 * page);
  stir(&machine, &kernel, last, 3 * page, 19);
  digest("last", bytes, size);
  vkDestroyBuffer(machine.device, last, NULL);
  vkFreeMemory(machine.device, memory, NULL);
  free_kernel(&machine, &kernel);
  close_machine(&machine);
  return 0;
}
