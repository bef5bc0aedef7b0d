// inline_blocks.c - uniform blocks that lie in the descriptor set itself, changed after the set was
// bound and before it is submitted, where the device allows that.
#include "inline_block.h"
#include "machine.h"

enum { size = 256 * 4 };

static void write_block(const Machine* machine, VkDescriptorSet set, uint32_t first, uint32_t count,
                        const uint32_t* numbers) {
  const VkWriteDescriptorSetInlineUniformBlock block = {
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
      .dataSize = count * 4,
      .pData = numbers};
  const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .pNext = &block,
                                      .dstSet = set,
                                      .dstBinding = 0,
                                      .dstArrayElement = first * 4,
                                      .descriptorCount = count * 4,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK};
  vkUpdateDescriptorSets(machine->device, 1, &write, 0, NULL);
}

int main(void) {
  const VkPhysicalDeviceVulkan13Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
      .inlineUniformBlock = VK_TRUE,
      .descriptorBindingInlineUniformBlockUpdateAfterBind = VK_TRUE};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  Buffer values = make_storage(&machine, size, 1);
  const VkDescriptorSetLayoutBinding shapes[] = {
      binding(0, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 32),
      binding(1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1)};
  const VkDescriptorBindingFlags flags[] = {VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT, 0};
  const VkDescriptorSetLayoutBindingFlagsCreateInfo after = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      .bindingCount = 2,
      .pBindingFlags = flags};
  const VkDescriptorSetLayoutCreateInfo layout = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .pNext = &after,
      .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
      .bindingCount = 2,
      .pBindings = shapes};
  Kernel kernel;
  CHECK(vkCreateDescriptorSetLayout(machine.device, &layout, NULL, &kernel.set_layout));
  kernel.layout = make_layout(&machine, 1, &kernel.set_layout, 0);
  const PipelineWish plain = {0};
  kernel.pipeline = make_pipeline(&machine, SHADER(inline_block), kernel.layout, &plain);
  const VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
      .maxInlineUniformBlockBindings = 4};
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 256},
                                        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4}};
  const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                           .pNext = &blocks,
                                           .flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
                                           .maxSets = 4,
                                           .poolSizeCount = 2,
                                           .pPoolSizes = sizes};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(machine.device, &info, NULL, &pool));
  Machine other = machine;
  other.sets = pool;
  VkDescriptorSet set = make_set(&other, kernel.set_layout);
  write_storage(&machine, set, 1, &values);
  write_block(&machine, set, 0, 8, (uint32_t[]){3, 5, 7, 9, 1, 2, 3, 4});
  VkCommandBuffer commands = begin_many(&machine);
  use(commands, &kernel, set);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  CHECK(vkEndCommandBuffer(commands));
  run(&machine, commands);
  digest_buffer("first", &values);
  // What it has when it is submitted is what counts.
  write_block(&machine, set, 4, 2, (uint32_t[]){100, 200});
  run(&machine, commands);
  digest_buffer("changed", &values);
  write_block(&machine, set, 0, 8, (uint32_t[]){11, 13, 15, 17, 19, 21, 23, 25});
  run(&machine, commands);
  digest_buffer("again", &values);
  vkDestroyDescriptorPool(machine.device, pool, NULL);
  free_kernel(&machine, &kernel);
  free_buffer(&machine, &values);
  close_machine(&machine);
  return 0;
}
