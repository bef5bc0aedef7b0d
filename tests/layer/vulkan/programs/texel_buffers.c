// texel_buffers.c - buffers seen as texels, one read, one written.
#include "machine.h"
#include "texels.h"

enum { size = 512 * 4 };

static VkBufferView make_view(const Machine* machine, const Buffer* buffer, VkDeviceSize offset) {
  const VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                       .buffer = buffer->buffer,
                                       .format = VK_FORMAT_R32_UINT,
                                       .offset = offset,
                                       .range = size};
  VkBufferView view;
  CHECK(vkCreateBufferView(machine->device, &info, NULL, &view));
  return view;
}

int main(void) {
  Machine machine = open_machine();
  Buffer from = make_buffer(&machine, 2 * size, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
  Buffer to = make_buffer(&machine, 2 * size, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
  fill_scrambled(from.bytes, 2 * size, 1);
  fill_scrambled(to.bytes, 2 * size, 2);
  VkBufferView views[2] = {make_view(&machine, &from, 256), make_view(&machine, &to, 1024)};
  const VkDescriptorType types[2] = {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                     VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER};
  const VkDescriptorSetLayoutBinding shapes[2] = {binding(0, types[0], 1), binding(1, types[1], 1)};
  Kernel kernel = {.set_layout = make_set_layout(&machine, 2, shapes, 0)};
  kernel.layout = make_layout(&machine, 1, &kernel.set_layout, 0);
  kernel.pipeline = make_pipeline(&machine, SHADER(texels), kernel.layout, &(PipelineWish){0});
  VkDescriptorSet set = make_set(&machine, kernel.set_layout);
  for (uint32_t i = 0; i < 2; ++i) {
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .dstBinding = i,
                                        .descriptorCount = 1,
                                        .descriptorType = types[i],
                                        .pTexelBufferView = &views[i]};
    vkUpdateDescriptorSets(machine.device, 1, &write, 0, NULL);
  }
  VkCommandBuffer commands = begin_once(&machine);
  use(commands, &kernel, set);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest_buffer("to", &to);
  for (int i = 0; i < 2; ++i) vkDestroyBufferView(machine.device, views[i], NULL);
  free_kernel(&machine, &kernel);
  FREE_BUFFERS(&machine, &from, &to);
  close_machine(&machine);
  return 0;
}
