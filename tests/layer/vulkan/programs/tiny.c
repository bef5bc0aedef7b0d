// tiny.c - dispatches that take less time than a timestamp, a barrier behind each: a thousand in
// each of four submissions, which are recorded and waited for one after the other.
#include "advance.h"
#include "machine.h"

enum { size = 256, rounds = 4, dispatches = 1000 };

int main(void) {
  Machine machine = open_machine();
  Kernel kernel = make_kernel(&machine, SHADER(advance), 1, 8);
  Buffer buffer = make_storage(&machine, size, 1);
  VkDescriptorSet set = BIND(&machine, &kernel, &buffer);
  for (uint32_t round = 0; round < rounds; ++round) {
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &kernel, set);
    for (uint32_t i = 0; i < dispatches; ++i) {
      push_two(commands, &kernel, 3, round);
      vkCmdDispatch(commands, groups_of(size), 1, 1);
      order_kernels(commands);
    }
    order_for_host(commands);
    end_and_run(&machine, commands);
  }
  digest_buffer("tiny", &buffer);
  free_buffer(&machine, &buffer);
  free_kernel(&machine, &kernel);
  close_machine(&machine);
  return 0;
}
