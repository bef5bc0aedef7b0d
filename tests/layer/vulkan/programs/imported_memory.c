// imported_memory.c - memory of the host as memory of the device, written without a map and read
// back so; freed by the program while the handle of another import has its place.
#include "machine.h"
#include "scale.h"

enum { size = 64 * 1024 };

static Buffer import(const Machine* machine, void* bytes) {
  const VkExternalMemoryBufferCreateInfo external = {
      .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
      .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
  const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                   .pNext = &external,
                                   .size = size,
                                   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                            VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                            VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  Buffer made = {.size = size, .bytes = bytes};
  CHECK(vkCreateBuffer(machine->device, &info, NULL, &made.buffer));
  const VkImportMemoryHostPointerInfoEXT host = {
      .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
      .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
      .pHostPointer = bytes};
  made.memory = make_memory(machine, size, &host);
  CHECK(vkBindBufferMemory(machine->device, made.buffer, made.memory, 0));
  return made;
}

int main(void) {
  const char* const extensions[] = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
  Machine machine = open_machine_with(&(Wanted){.extensions = extensions, .extension_count = 1});
  Buffer device =
      make_buffer(&machine, size,
                  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                      VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  fill_scrambled(device.bytes, size, 9);
  Kernel kernel = make_kernel(&machine, SHADER(scale), 2, 8);
  for (uint32_t frame = 0; frame < 6; ++frame) {
    void* bytes = aligned_alloc(65536, size);
    fill_scrambled(bytes, size, frame + 1);
    Buffer host = import(&machine, bytes);
    VkDescriptorSet set = BIND(&machine, &kernel, &host, &device);
    fill_scrambled((char*)bytes + 100, 5000, frame + 70);  // after the import, without a map
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &kernel, set);
    push_two(commands, &kernel, 3 + frame, 1);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    order_all(commands);
    // A part of the result goes back into the host's own memory.
    const VkBufferCopy part = {1024, 512, 20000};
    vkCmdCopyBuffer(commands, device.buffer, host.buffer, 1, &part);
    order_for_host(commands);
    end_and_run(&machine, commands);
    digest("host", bytes, size);
    digest_buffer("device", &device);
    CHECK(vkFreeDescriptorSets(machine.device, machine.sets, 1, &set));
    free_buffer(&machine, &host);
    free(bytes);
  }
  free_kernel(&machine, &kernel);
  free_buffer(&machine, &device);
  close_machine(&machine);
  return 0;
}
