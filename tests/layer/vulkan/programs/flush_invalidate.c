// flush_invalidate.c - explicit flushes and invalidations, of parts as well, as a first sample has
// them; memory is mapped in parts and unmapped between submits.
#include "scaling.h"

enum { count = 16384, size = count * 4 };

static void* map_part(const Machine* machine, const Buffer* buffer, VkDeviceSize offset,
                      VkDeviceSize part) {
  void* bytes;
  CHECK(vkMapMemory(machine->device, buffer->memory, offset, part, 0, &bytes));
  return bytes;
}

int main(void) {
  Machine machine = open_machine();
  Scaling scaling = make_scaling(&machine, size);
  const Buffer *from = &scaling.from, *to = &scaling.to;
  vkUnmapMemory(machine.device, from->memory);
  vkUnmapMemory(machine.device, to->memory);
  for (uint32_t round = 0; round < 4; ++round) {
    const VkDeviceSize offset = round % 2 ? 8192 : 0, part = round % 2 ? 16384 : VK_WHOLE_SIZE;
    void* bytes = map_part(&machine, from, offset, part);
    fill_scrambled(bytes, part == VK_WHOLE_SIZE ? size : part, round + 10);
    const VkMappedMemoryRange written = range_of(from, offset, part);
    CHECK(vkFlushMappedMemoryRanges(machine.device, 1, &written));
    vkUnmapMemory(machine.device, from->memory);
    run_scaling(&machine, &scaling, round);
    bytes = map_part(&machine, to, 0, size);
    const VkMappedMemoryRange read[2] = {range_of(to, 0, 4096), range_of(to, 4096, VK_WHOLE_SIZE)};
    CHECK(vkInvalidateMappedMemoryRanges(machine.device, 2, read));
    digest("round", bytes, size);
    vkUnmapMemory(machine.device, to->memory);
  }
  free_scaling(&machine, &scaling);
  close_machine(&machine);
  return 0;
}
