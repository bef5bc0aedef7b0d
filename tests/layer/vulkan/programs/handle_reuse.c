// handle_reuse.c - objects made and freed again and again, so that drivers give the same handles to
// others: buffers of other sizes at other places, sets, pools, pipelines, fences, memory,
// which sometimes goes before its buffer.
#include "machine.h"
#include "scale.h"
#include "sum.h"

int main(void) {
  Machine machine = open_machine();
  for (uint32_t round = 0; round < 60; ++round) {
    const VkDeviceSize size = 1024 * (round % 5 + 1);
    Buffer from = make_storage(&machine, size, round), to = make_storage(&machine, size, round + 1);
    const int sums = round % 3 == 0;
    Kernel kernel = sums ? make_kernel(&machine, SHADER(sum), 3, 0)
                         : make_kernel(&machine, SHADER(scale), 2, 8);
    VkDescriptorSet set =
        sums ? BIND(&machine, &kernel, &from, &from, &to) : BIND(&machine, &kernel, &from, &to);
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &kernel, set);
    if (!sums) push_two(commands, &kernel, round, 1);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    order_for_host(commands);
    end_and_run(&machine, commands);
    if (round % 10 == 9) digest_buffer("to", &to);
    if (round % 2)
      CHECK(vkFreeDescriptorSets(machine.device, machine.sets, 1, &set));
    else
      CHECK(vkResetDescriptorPool(machine.device, machine.sets, 0));
    free_kernel(&machine, &kernel);
    free_buffer(&machine, &from);
    if (round % 3) {
      free_buffer(&machine, &to);
    } else {  // the memory before its buffer
      vkFreeMemory(machine.device, to.memory, NULL);
      vkDestroyBuffer(machine.device, to.buffer, NULL);
    }
  }
  close_machine(&machine);
  return 0;
}
