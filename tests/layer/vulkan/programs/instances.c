// instances.c - 25 instances one after the other, two at once, and two devices of one instance.
#include "advance.h"
#include "machine.h"

enum { size = 1024 * 4 };

static void work(Machine* machine, const char* label, uint32_t seed) {
  Buffer values = make_storage(machine, size, seed);
  Kernel kernel = make_kernel(machine, SHADER(advance), 1, 8);
  VkDescriptorSet set = BIND(machine, &kernel, &values);
  VkCommandBuffer commands = begin_once(machine);
  use(commands, &kernel, set);
  push_two(commands, &kernel, 3, seed);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  end_and_run(machine, commands);
  digest_buffer(label, &values);
  free_kernel(machine, &kernel);
  free_buffer(machine, &values);
}

int main(void) {
  for (uint32_t i = 0; i < 25; ++i) {
    Machine machine = open_machine();
    if (i % 5 == 0) work(&machine, "one of many", i);
    close_machine(&machine);
  }
  Machine first = open_machine(), second = open_machine();
  work(&first, "first of two", 100);
  work(&second, "second of two", 101);
  work(&first, "first again", 102);
  const Wanted nothing = {0};
  Machine third = open_on(second.instance, &nothing);  // a second device of its instance
  work(&third, "second device", 103);
  work(&second, "first device", 104);
  close_machine(&first);
  work(&third, "after the first instance", 105);
  close_device(&third);
  close_machine(&second);
  return 0;
}
