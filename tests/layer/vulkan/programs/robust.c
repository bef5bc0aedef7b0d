// robust.c - a kernel that reads past the end of what is bound, on a device that was asked for
// zeros there.
#include "beyond.h"
#include "machine.h"

enum { size = 1024 * 4 };

int main(void) {
  VkPhysicalDeviceRobustness2FeaturesEXT robust = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
      .robustBufferAccess2 = VK_TRUE};
  const VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                              .pNext = &robust,
                                              .features = {.robustBufferAccess = VK_TRUE}};
  const char* const extensions[] = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
  Machine machine = open_machine_with(
      &(Wanted){.extensions = extensions, .extension_count = 1, .features = &features});
  Buffer from = make_storage(&machine, 2 * size, 1), to = make_storage(&machine, size, 2);
  Kernel kernel = make_kernel(&machine, SHADER(beyond), 2, 0);
  VkDescriptorSet set = make_set(&machine, kernel.set_layout);
  write_range(&machine, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, from.buffer, 0, size);
  write_range(&machine, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, to.buffer, 0, size);
  VkCommandBuffer commands = begin_once(&machine);
  use(commands, &kernel, set);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest_buffer("to", &to);
  free_kernel(&machine, &kernel);
  free_buffer(&machine, &from);
  free_buffer(&machine, &to);
  close_machine(&machine);
  return 0;
}
