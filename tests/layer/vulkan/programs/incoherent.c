// incoherent.c - memory that the host sees by flushes and invalidations alone, where the device has
// such; else coherent memory with the same calls. Mapped for as long as it lives.
#include "scaling.h"

enum { count = 4096, size = count * 4, rounds = 5 };

static uint32_t incoherent_type(VkPhysicalDevice physical) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
    if (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT &&
        !(flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
      return i;
  }
  return coherent_type(physical);
}

int main(void) {
  Machine machine = open_machine();
  machine.memory_type = incoherent_type(machine.physical);
  Scaling scaling = make_scaling(&machine, size);
  const Buffer *from = &scaling.from, *to = &scaling.to;
  const VkMappedMemoryRange all[2] = {range_of(from, 0, VK_WHOLE_SIZE),
                                      range_of(to, 0, VK_WHOLE_SIZE)};
  CHECK(vkFlushMappedMemoryRanges(machine.device, 2, all));
  for (uint32_t round = 0; round < rounds; ++round) {
    // A part of it, and a flush of that part alone.
    const VkDeviceSize offset = round % 3 * 4096, part = 4096;
    fill_scrambled((char*)from->bytes + offset, part, round + 10);
    const VkMappedMemoryRange written = range_of(from, offset, part);
    CHECK(vkFlushMappedMemoryRanges(machine.device, 1, &written));
    run_scaling(&machine, &scaling, round);
    // What the device wrote is there only now; every second round nobody looks.
    if (round % 2) continue;
    const VkMappedMemoryRange read = range_of(to, 0, VK_WHOLE_SIZE);
    CHECK(vkInvalidateMappedMemoryRanges(machine.device, 1, &read));
    digest_buffer("round", to);
  }
  free_scaling(&machine, &scaling);
  close_machine(&machine);
  return 0;
}
