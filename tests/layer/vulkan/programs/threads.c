// threads.c - threads that make objects, record in pools of their own and submit to one queue under
// a lock; and threads that end while others go on.
#include <pthread.h>

#include "advance.h"
#include "machine.h"
#include "scale.h"

enum { threads = 7, rounds = 12, size = 2048 * 4 };

static Machine machine;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static Buffer results[threads];

static void* work(void* number) {
  const uint32_t me = (uint32_t)(uintptr_t)number;
  Machine own = machine;  // with pools of its own
  own.commands = make_command_pool(machine.device, machine.family);
  own.sets = make_set_pool(machine.device);
  Buffer from = make_storage(&own, size, me + 1);
  results[me] = make_storage(&own, size, me + 20);
  Kernel scaled = make_kernel(&own, SHADER(scale), 2, 8);
  Kernel advanced = make_kernel(&own, SHADER(advance), 1, 8);
  VkDescriptorSet there = BIND(&own, &scaled, &from, &results[me]);
  VkDescriptorSet alone = BIND(&own, &advanced, &from);
  for (uint32_t round = 0; round < rounds; ++round) {
    VkCommandBuffer commands = begin_once(&own);
    use(commands, &advanced, alone);
    push_two(commands, &advanced, 3 + me, round);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    order_kernels(commands);
    use(commands, &scaled, there);
    push_two(commands, &scaled, 5, round);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    order_for_host(commands);
    CHECK(vkEndCommandBuffer(commands));
    VkFence fence = make_fence(&own);
    pthread_mutex_lock(&queue_lock);
    submit(&own, 1, &commands, fence);
    pthread_mutex_unlock(&queue_lock);
    wait_fence(&own, fence);
    ((uint32_t*)from.bytes)[round] += ((uint32_t*)results[me].bytes)[round + 1];
    vkDestroyFence(own.device, fence, NULL);
    vkFreeCommandBuffers(own.device, own.commands, 1, &commands);
  }
  FREE_KERNELS(&own, &scaled, &advanced);
  free_buffer(&own, &from);
  vkDestroyCommandPool(own.device, own.commands, NULL);
  vkDestroyDescriptorPool(own.device, own.sets, NULL);
  return NULL;
}

int main(void) {
  machine = open_machine();
  pthread_t all[threads];
  for (uintptr_t i = 0; i < threads; ++i) EXPECT(!pthread_create(&all[i], NULL, work, (void*)i));
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  for (int i = 0; i < threads; ++i) {
    digest_buffer("thread", &results[i]);
    free_buffer(&machine, &results[i]);
  }
  close_machine(&machine);
  return 0;
}
