// secondary.c - secondary command buffers: several in one, one several times, push constants and
// sets that each binds for itself.
#include "advance.h"
#include "machine.h"
#include "scale.h"

enum { size = 2048 * 4 };

static VkCommandBuffer begin_secondary(const Machine* machine, VkCommandBufferUsageFlags flags) {
  VkCommandBuffer commands = make_commands(machine, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  const VkCommandBufferInheritanceInfo inherited = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
  const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = flags,
                                         .pInheritanceInfo = &inherited};
  CHECK(vkBeginCommandBuffer(commands, &info));
  return commands;
}

int main(void) {
  Machine machine = open_machine();
  Buffer first = make_storage(&machine, size, 1), second = make_storage(&machine, size, 2);
  Kernel scaled = make_kernel(&machine, SHADER(scale), 2, 8);
  Kernel advanced = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDescriptorSet there = BIND(&machine, &scaled, &first, &second);
  VkDescriptorSet back = BIND(&machine, &scaled, &second, &first);
  VkDescriptorSet alone = BIND(&machine, &advanced, &second);
  VkCommandBuffer inner[3];
  inner[0] = begin_secondary(&machine, 0);
  use(inner[0], &scaled, there);
  push_two(inner[0], &scaled, 3, 1);
  vkCmdDispatch(inner[0], groups_of(size), 1, 1);
  order_kernels(inner[0]);
  inner[1] = begin_secondary(&machine, 0);
  use(inner[1], &advanced, alone);
  push_two(inner[1], &advanced, 5, 2);
  vkCmdDispatch(inner[1], groups_of(size), 1, 1);
  order_kernels(inner[1]);
  inner[2] = begin_secondary(&machine, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  use(inner[2], &scaled, back);
  push_two(inner[2], &scaled, 7, 3);
  vkCmdDispatch(inner[2], groups_of(size) / 2, 1, 1);
  order_kernels(inner[2]);
  for (int i = 0; i < 3; ++i) CHECK(vkEndCommandBuffer(inner[i]));
  VkCommandBuffer outer = begin_many(&machine);
  vkCmdExecuteCommands(outer, 3, inner);
  // Nothing that was bound inside is bound here.
  use(outer, &advanced, alone);
  push_two(outer, &advanced, 9, 9);
  vkCmdDispatch(outer, groups_of(size), 1, 1);
  order_kernels(outer);
  vkCmdExecuteCommands(outer, 1, &inner[2]);
  order_for_host(outer);
  CHECK(vkEndCommandBuffer(outer));
  for (int round = 0; round < 3; ++round) {
    run(&machine, outer);
    digest_buffer("first", &first);
    digest_buffer("second", &second);
  }
  FREE_KERNELS(&machine, &scaled, &advanced);
  FREE_BUFFERS(&machine, &first, &second);
  close_machine(&machine);
  return 0;
}
