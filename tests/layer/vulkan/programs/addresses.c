// addresses.c - addresses of buffers: only asked for (`addresses asked`), or used by a kernel that
// follows one of its push block to others that lie in memory (`addresses used`).
#include "address.h"
#include "machine.h"
#include "scale.h"

enum { size = 1024 * 4 };

static Buffer make_addressed(const Machine* machine, uint32_t seed) {
  Buffer made = {.size = size};
  made.buffer = make_bare_buffer(
      machine, size,
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                           .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(machine->device, made.buffer, &needs);
  made.memory = make_memory(machine, needs.size, &flags);
  CHECK(vkBindBufferMemory(machine->device, made.buffer, made.memory, 0));
  made.bytes = map_memory(machine, made.memory);
  fill_scrambled(made.bytes, size, seed);
  return made;
}

static VkDeviceAddress address_of(const Machine* machine, const Buffer* buffer) {
  const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                          .buffer = buffer->buffer};
  const VkDeviceAddress found = vkGetBufferDeviceAddress(machine->device, &info);
  EXPECT(found);
  return found;
}

int main(int argc, char** argv) {
  const int used = argc > 1 && !strcmp(argv[1], "used");
  const VkPhysicalDeviceVulkan12Features addresses = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .bufferDeviceAddress = VK_TRUE};
  const VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                              .pNext = (void*)&addresses,
                                              .features = {.shaderInt64 = VK_TRUE}};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  Buffer from = make_addressed(&machine, 1), to = make_addressed(&machine, 2);
  Buffer table = make_addressed(&machine, 3);
  ((VkDeviceAddress*)table.bytes)[0] = address_of(&machine, &from);
  ((VkDeviceAddress*)table.bytes)[1] = address_of(&machine, &to);
  struct {
    VkDeviceAddress table;
    uint32_t factor, unused;
  } pushed = {address_of(&machine, &table), 7, 0};
  Kernel plain = make_kernel(&machine, SHADER(scale), 2, 8);
  VkDescriptorSet set = BIND(&machine, &plain, &from, &to);
  VkPipelineLayout layout = make_layout(&machine, 0, NULL, 16);
  VkPipeline follows = VK_NULL_HANDLE;
  if (used) follows = make_pipeline(&machine, SHADER(address), layout, &(PipelineWish){0});
  VkCommandBuffer commands = begin_once(&machine);
  if (used) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, follows);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof pushed, &pushed);
  } else {
    use(commands, &plain, set);
    push_two(commands, &plain, 7, 1);
  }
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest_buffer("to", &to);
  if (used) vkDestroyPipeline(machine.device, follows, NULL);
  vkDestroyPipelineLayout(machine.device, layout, NULL);
  free_kernel(&machine, &plain);
  FREE_BUFFERS(&machine, &from, &to, &table);
  close_machine(&machine);
  return 0;
}
