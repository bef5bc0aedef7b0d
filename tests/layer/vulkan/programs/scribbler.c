// scribbler.c - a thread of the program that never stops writing into mapped memory, beside what
// the device uses, page by page; what the device computes doesn't depend on it.
#include <pthread.h>
#include <stdatomic.h>

#include "advance.h"
#include "machine.h"
#include "scale.h"

enum { block = 1 << 20, part = 2048, rounds = 40 };

static char* bytes;
static atomic_int over;

// The second half of each page.
static void* scribble(void* unused) {
  (void)unused;
  for (unsigned i = 0; !atomic_load(&over); ++i)
    for (size_t at = part + i % 64; at < block; at += 4096) bytes[at] = (char)i;
  return NULL;
}

int main(void) {
  Machine machine = open_machine();
  VkDeviceMemory memory = make_memory(&machine, block, NULL);
  bytes = map_memory(&machine, memory);
  fill_scrambled(bytes, block, 1);
  VkBuffer all = make_bare_buffer(&machine, block, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  CHECK(vkBindBufferMemory(machine.device, all, memory, 0));
  Kernel advanced = make_kernel(&machine, SHADER(advance), 1, 8);
  Kernel scaled = make_kernel(&machine, SHADER(scale), 2, 8);
  VkDescriptorSet stirs[4], copies[4];
  for (uint32_t i = 0; i < 4; ++i) {
    const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    stirs[i] = make_set(&machine, advanced.set_layout);
    write_range(&machine, stirs[i], 0, type, all, i * 4096, part);
    copies[i] = make_set(&machine, scaled.set_layout);
    write_range(&machine, copies[i], 0, type, all, i * 4096, part);
    write_range(&machine, copies[i], 1, type, all, (i + 8) * 4096, part);
  }
  pthread_t thread;
  EXPECT(!pthread_create(&thread, NULL, scribble, NULL));
  for (uint32_t round = 0; round < rounds; ++round) {
    memset(bytes + (round % 4) * 4096 + 100, (int)round, 32);
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &advanced, stirs[round % 4]);
    push_two(commands, &advanced, 3, round);
    vkCmdDispatch(commands, groups_of(part), 1, 1);
    order_kernels(commands);
    use(commands, &scaled, copies[round % 4]);
    push_two(commands, &scaled, 5, round);
    vkCmdDispatch(commands, groups_of(part), 1, 1);
    order_for_host(commands);
    end_and_run(&machine, commands);
  }
  atomic_store(&over, 1);
  pthread_join(thread, NULL);
  for (uint32_t page = 0; page < 12; ++page) digest("page", bytes + page * 4096, part);
  FREE_KERNELS(&machine, &advanced, &scaled);
  vkDestroyBuffer(machine.device, all, NULL);
  vkFreeMemory(machine.device, memory, NULL);
  close_machine(&machine);
  return 0;
}
