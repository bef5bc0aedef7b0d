// scaling.h - one kernel from a buffer to another, and ranges of their memory, for programs about
// flushes and invalidations.
#ifndef REEL_TESTS_LAYER_VULKAN_SCALING_H
#define REEL_TESTS_LAYER_VULKAN_SCALING_H

#include "machine.h"
#include "scale.h"

typedef struct Scaling {
  Buffer from, to;
  Kernel kernel;
  VkDescriptorSet set;
} Scaling;

static inline Scaling make_scaling(const Machine* machine, VkDeviceSize size) {
  Scaling made = {.from = make_storage(machine, size, 1),
                  .to = make_storage(machine, size, 2),
                  .kernel = make_kernel(machine, SHADER(scale), 2, 8)};
  made.set = BIND(machine, &made.kernel, &made.from, &made.to);
  return made;
}

static inline void free_scaling(const Machine* machine, Scaling* made) {
  free_kernel(machine, &made->kernel);
  FREE_BUFFERS(machine, &made->from, &made->to);
}

// Runs it, with numbers of this round, and waits.
static inline void run_scaling(const Machine* machine, const Scaling* made, uint32_t round) {
  VkCommandBuffer commands = begin_once(machine);
  use(commands, &made->kernel, made->set);
  push_two(commands, &made->kernel, round * 2 + 3, round);
  vkCmdDispatch(commands, groups_of(made->from.size), 1, 1);
  order_for_host(commands);
  end_and_run(machine, commands);
}

static inline VkMappedMemoryRange range_of(const Buffer* buffer, VkDeviceSize offset,
                                           VkDeviceSize part) {
  return (VkMappedMemoryRange){.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                               .memory = buffer->memory,
                               .offset = offset,
                               .size = part};
}

#endif
