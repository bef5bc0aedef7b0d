// dispatches.c - every way to give a grid: three dimensions, a base, sizes in memory that the host
// or a kernel wrote, an empty one.
#include "machine.h"
#include "make_sizes.h"
#include "where.h"

enum { width = 48, height = 24, depth = 8, size = width * height * depth * 4 };

int main(void) {
  Machine machine = open_machine();
  Buffer values = make_storage(&machine, size, 1);
  const VkBufferUsageFlags usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  Buffer made = make_buffer(&machine, 256, usage), given = make_buffer(&machine, 256, usage);
  Kernel kernel = make_kernel_with(&machine, SHADER(where), 1, 8,
                                   &(PipelineWish){.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT});
  Kernel sizes = make_kernel(&machine, SHADER(make_sizes), 1, 0);
  VkDescriptorSet set = BIND(&machine, &kernel, &values), size_set = BIND(&machine, &sizes, &made);
  memset(made.bytes, 0, 256);
  memcpy(given.bytes, (uint32_t[]){9, 9, 9, 2, 3, 1, 0, 0}, 32);
  for (int round = 0; round < 2; ++round) {
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &sizes, size_set);
    vkCmdDispatch(commands, 1, 1, 1);
    order(commands, shader_stage, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
          VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
    use(commands, &kernel, set);
    push_two(commands, &kernel, width, height);
    vkCmdDispatch(commands, width / 4, height / 2, depth / 2);
    order_kernels(commands);
    vkCmdDispatchIndirect(commands, made.buffer, 0);
    order_kernels(commands);
    vkCmdDispatchIndirect(commands, made.buffer, 16);
    order_kernels(commands);
    vkCmdDispatchIndirect(commands, made.buffer, 32);  // nothing
    vkCmdDispatch(commands, 0, 3, 1);
    order_kernels(commands);
    vkCmdDispatchIndirect(commands, given.buffer, 12);
    order_kernels(commands);
    // Last, since lavapipe 22.3 keeps its base for indirect ones that follow.
    vkCmdDispatchBase(commands, 3, 2, 1, 5, 4, 2);
    order_for_host(commands);
    end_and_run(&machine, commands);
    digest_buffer("values", &values);
    ((uint32_t*)given.bytes)[3] = 7;  // the host changes what the second round takes
  }
  FREE_KERNELS(&machine, &kernel, &sizes);
  FREE_BUFFERS(&machine, &values, &made, &given);
  close_machine(&machine);
  return 0;
}
