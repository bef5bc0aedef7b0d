// refused.c - calls that the driver refuses, and ones that only say "not yet": pools that are used
// up, memory that there isn't, waits that end too early, pipelines that may not be compiled.
#include "advance.h"
#include "machine.h"

enum { size = 1024 * 4 };

static void say(const char* what, VkResult status) { printf("%s %d\n", what, (int)status); }

int main(void) {
  const VkPhysicalDeviceVulkan13Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
      .pipelineCreationCacheControl = VK_TRUE};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  Buffer values = make_storage(&machine, size, 1);
  Kernel kernel = make_kernel(&machine, SHADER(advance), 1, 8);
  const VkDescriptorPoolSize one = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  const VkDescriptorPoolCreateInfo small = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .maxSets = 1,
                                            .poolSizeCount = 1,
                                            .pPoolSizes = &one};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(machine.device, &small, NULL, &pool));
  VkDescriptorSet sets[3];
  const VkDescriptorSetLayout layouts[3] = {kernel.set_layout, kernel.set_layout,
                                            kernel.set_layout};
  VkDescriptorSetAllocateInfo wanted = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = pool,
                                        .descriptorSetCount = 3,
                                        .pSetLayouts = layouts};
  say("three sets of a pool for one", vkAllocateDescriptorSets(machine.device, &wanted, sets));
  wanted.descriptorSetCount = 1;
  CHECK(vkResetDescriptorPool(machine.device, pool, 0));
  say("one of them", vkAllocateDescriptorSets(machine.device, &wanted, sets));
  say("and one more", vkAllocateDescriptorSets(machine.device, &wanted, sets + 1));
  const VkMemoryAllocateInfo huge = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = 1ULL << 46,
                                     .memoryTypeIndex = machine.memory_type};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  say("too much memory", vkAllocateMemory(machine.device, &huge, NULL, &memory));
  write_storage(&machine, sets[0], 0, &values);

  VkFence fence = make_fence(&machine), never = make_fence(&machine);
  say("a fence of nothing", vkGetFenceStatus(machine.device, never));
  say("a wait for nothing", vkWaitForFences(machine.device, 1, &never, VK_TRUE, 1000));
  VkCommandBuffer commands = begin_many(&machine);
  use(commands, &kernel, sets[0]);
  push_two(commands, &kernel, 3, 1);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  CHECK(vkEndCommandBuffer(commands));
  submit(&machine, 1, &commands, fence);
  const VkFence both[2] = {never, fence};
  say("any of two", vkWaitForFences(machine.device, 2, both, VK_FALSE, UINT64_MAX));
  say("all of two", vkWaitForFences(machine.device, 2, both, VK_TRUE, 1000));
  digest_buffer("values", &values);

  // Recorded and never given; begun and never ended; given to nobody.
  VkCommandBuffer unused = begin_many(&machine);
  use(unused, &kernel, sets[0]);
  push_two(unused, &kernel, 9, 9);
  vkCmdDispatch(unused, groups_of(size), 1, 1);
  CHECK(vkEndCommandBuffer(unused));
  VkCommandBuffer unfinished = begin_once(&machine);
  use(unfinished, &kernel, sets[0]);
  submit(&machine, 0, NULL, never);
  wait_fence(&machine, never);
  CHECK(vkResetCommandBuffer(unfinished, 0));
  begin(unfinished, 0);
  CHECK(vkEndCommandBuffer(unfinished));
  run(&machine, unfinished);  // empty
  run(&machine, commands);
  digest_buffer("values", &values);
  vkDestroyFence(machine.device, fence, NULL);
  vkDestroyFence(machine.device, never, NULL);
  vkDestroyDescriptorPool(machine.device, pool, NULL);
  free_kernel(&machine, &kernel);
  free_buffer(&machine, &values);
  close_machine(&machine);
  return 0;
}
