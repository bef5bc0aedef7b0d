// update_after_bind.c - descriptors written after the set was bound, where the device allows it for
// storage buffers; elsewhere written before the commands are recorded again, with the same output.
#include "machine.h"
#include "scale.h"

enum { size = 256 * 4, rounds = 4 };

int main(void) {
  VkPhysicalDeviceVulkan12Features has = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                   .pNext = &has};
  const Wanted nothing = {0};
  VkInstance instance = open_instance(&nothing);
  vkGetPhysicalDeviceFeatures2(first_device(instance), &all);
  const VkBool32 late = has.descriptorBindingStorageBufferUpdateAfterBind;
  const VkPhysicalDeviceVulkan12Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .descriptorIndexing = has.descriptorIndexing,
      .descriptorBindingStorageBufferUpdateAfterBind = late};
  Machine machine = open_on(instance, &(Wanted){.features = &features});
  Buffer from = make_storage(&machine, size, 1), to[rounds];
  for (uint32_t i = 0; i < rounds; ++i) to[i] = make_storage(&machine, size, i + 2);
  const VkDescriptorSetLayoutBinding shapes[] = {binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
                                                 binding(1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1)};
  const VkDescriptorBindingFlags flags[] = {0,
                                            late ? VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT : 0};
  const VkDescriptorSetLayoutBindingFlagsCreateInfo after = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      .bindingCount = 2,
      .pBindingFlags = flags};
  const VkDescriptorSetLayoutCreateInfo layout = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .pNext = &after,
      .flags = late ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT : 0,
      .bindingCount = 2,
      .pBindings = shapes};
  Kernel kernel;
  CHECK(vkCreateDescriptorSetLayout(machine.device, &layout, NULL, &kernel.set_layout));
  kernel.layout = make_layout(&machine, 1, &kernel.set_layout, 8);
  const PipelineWish plain = {0};
  kernel.pipeline = make_pipeline(&machine, SHADER(scale), kernel.layout, &plain);
  const VkDescriptorPoolSize count = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
  const VkDescriptorPoolCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .flags = late ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0,
      .maxSets = 1,
      .poolSizeCount = 1,
      .pPoolSizes = &count};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(machine.device, &info, NULL, &pool));
  Machine other = machine;
  other.sets = pool;
  VkDescriptorSet set = make_set(&other, kernel.set_layout);
  write_storage(&machine, set, 0, &from);
  write_storage(&machine, set, 1, &to[0]);
  VkCommandBuffer commands = VK_NULL_HANDLE;
  for (uint32_t i = 0; i < rounds; ++i) {
    if (!late) write_storage(&machine, set, 1, &to[i]);
    if (!commands || !late) {
      commands = begin_many(&machine);
      use(commands, &kernel, set);
      push_two(commands, &kernel, 5, 3);
      vkCmdDispatch(commands, groups_of(size), 1, 1);
      order_for_host(commands);
      CHECK(vkEndCommandBuffer(commands));
    }
    if (late) write_storage(&machine, set, 1, &to[i]);
    ((uint32_t*)from.bytes)[i] += 1000;
    run(&machine, commands);
  }
  for (uint32_t i = 0; i < rounds; ++i) digest_buffer("round", &to[i]);
  vkDestroyDescriptorPool(machine.device, pool, NULL);
  free_kernel(&machine, &kernel);
  free_buffer(&machine, &from);
  for (uint32_t i = 0; i < rounds; ++i) free_buffer(&machine, &to[i]);
  close_machine(&machine);
  return 0;
}
