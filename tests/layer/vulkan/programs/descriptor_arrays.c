// descriptor_arrays.c - arrays of descriptors: written in one go, element by element, one never
// written, one left with a null handle, one chosen by the push block.
#include "arrays.h"
#include "chosen.h"
#include "machine.h"

enum { size = 512 * 4 };

int main(void) {
  const VkPhysicalDeviceRobustness2FeaturesEXT null_allowed = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
      .nullDescriptor = VK_TRUE};
  const VkPhysicalDeviceFeatures2 features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
      .pNext = (void*)&null_allowed,
      .features = {.shaderStorageBufferArrayDynamicIndexing = VK_TRUE}};
  const char* const extensions[] = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
  Machine machine = open_machine_with(
      &(Wanted){.extensions = extensions, .extension_count = 1, .features = &features});
  Buffer buffers[8];
  for (uint32_t i = 0; i < 8; ++i) buffers[i] = make_storage(&machine, size, i + 1);
  Buffer weights = make_buffer(&machine, 1024, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  for (uint32_t i = 0; i < 256; ++i) ((uint32_t*)weights.bytes)[i] = i * 3 + 1;

  const VkDescriptorSetLayoutBinding shapes[] = {binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4),
                                                 binding(3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2),
                                                 binding(5, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 3)};
  Kernel kernel = {.set_layout = make_set_layout(&machine, 3, shapes, 0)};
  kernel.layout = make_layout(&machine, 1, &kernel.set_layout, 0);
  const PipelineWish plain = {0};
  kernel.pipeline = make_pipeline(&machine, SHADER(arrays), kernel.layout, &plain);
  VkDescriptorSet set = make_set(&machine, kernel.set_layout);
  const VkDescriptorBufferInfo infos[] = {{buffers[0].buffer, 0, VK_WHOLE_SIZE},
                                          {buffers[1].buffer, 0, size},
                                          {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE},
                                          {buffers[2].buffer, 0, size},
                                          {buffers[3].buffer, 0, size},
                                          {buffers[4].buffer, 0, size},
                                          {weights.buffer, 0, 16},
                                          {weights.buffer, 256, 16},
                                          {weights.buffer, 512, 16}};
  const VkWriteDescriptorSet writes[] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = set,
                                          .dstBinding = 0,
                                          .descriptorCount = 4,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                          .pBufferInfo = infos},
                                         {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = set,
                                          .dstBinding = 3,
                                          .dstArrayElement = 1,
                                          .descriptorCount = 1,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                          .pBufferInfo = &infos[5]},
                                         {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = set,
                                          .dstBinding = 3,
                                          .descriptorCount = 1,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                          .pBufferInfo = &infos[4]},
                                         {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = set,
                                          .dstBinding = 5,
                                          .descriptorCount = 3,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                          .pBufferInfo = &infos[6]}};
  vkUpdateDescriptorSets(machine.device, COUNT(writes), writes, 0, NULL);

  const VkDescriptorSetLayoutBinding eight = binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8);
  Kernel choosing = {.set_layout = make_set_layout(&machine, 1, &eight, 0)};
  choosing.layout = make_layout(&machine, 1, &choosing.set_layout, 12);
  choosing.pipeline = make_pipeline(&machine, SHADER(chosen), choosing.layout, &plain);
  VkDescriptorSet choice = make_set(&machine, choosing.set_layout);
  for (uint32_t i = 0; i < 8; ++i) {
    const VkDescriptorBufferInfo info = {buffers[i].buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = choice,
                                        .dstArrayElement = i,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &info};
    vkUpdateDescriptorSets(machine.device, 1, &write, 0, NULL);
  }
  VkCommandBuffer commands = begin_once(&machine);
  use(commands, &kernel, set);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_kernels(commands);
  for (uint32_t i = 0; i < 6; ++i) {
    use(commands, &choosing, choice);
    push(commands, &choosing, 12, (uint32_t[]){i, (i * 3 + 5) % 8, i + 100});
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    order_kernels(commands);
  }
  order_for_host(commands);
  end_and_run(&machine, commands);
  for (int i = 0; i < 8; ++i) digest_buffer("buffer", &buffers[i]);
  FREE_KERNELS(&machine, &kernel, &choosing);
  for (int i = 0; i < 8; ++i) free_buffer(&machine, &buffers[i]);
  free_buffer(&machine, &weights);
  close_machine(&machine);
  return 0;
}
