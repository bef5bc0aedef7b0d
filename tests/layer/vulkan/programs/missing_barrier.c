// missing_barrier.c - BUGGY: between two dispatches of one command buffer, where the second reads
// what the first writes, the barrier is missing. Its results are the driver's choice, so it prints
// only that it ran; `missing_barrier not` has the barrier, and prints them.
#include "machine.h"
#include "scale.h"

enum { size = 262144 * 4 };

int main(int argc, char** argv) {
  const int whole = argc > 1 && !strcmp(argv[1], "not");
  Machine machine = open_machine();
  Buffer first = make_storage(&machine, size, 1), second = make_storage(&machine, size, 2);
  Buffer third = make_storage(&machine, size, 3);
  Kernel kernel = make_kernel(&machine, SHADER(scale), 2, 8);
  VkDescriptorSet there = BIND(&machine, &kernel, &first, &second);
  VkDescriptorSet on = BIND(&machine, &kernel, &second, &third);
  VkCommandBuffer commands = begin_once(&machine);
  use(commands, &kernel, there);
  push_two(commands, &kernel, 3, 1);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  if (whole) order_kernels(commands);
  use(commands, &kernel, on);
  push_two(commands, &kernel, 5, 2);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  end_and_run(&machine, commands);
  if (whole) digest_buffer("third", &third);
  printf("ran\n");
  free_kernel(&machine, &kernel);
  FREE_BUFFERS(&machine, &first, &second, &third);
  close_machine(&machine);
  return 0;
}
