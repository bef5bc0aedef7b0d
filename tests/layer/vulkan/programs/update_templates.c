// update_templates.c - sets written by a template with gaps and strides, sets copied from others,
// and one write that runs over into the bindings that follow.
#include "machine.h"
#include "sum.h"

enum { size = 1024 * 4 };

// As a program would keep it: what the template reads lies between other things.
typedef struct Node {
  int tag;
  VkDescriptorBufferInfo output;
  double weight;
  struct {
    char name[12];
    VkDescriptorBufferInfo info;
  } inputs[2];
} Node;

int main(void) {
  Machine machine = open_machine();
  Buffer buffers[4];
  for (uint32_t i = 0; i < 4; ++i) buffers[i] = make_storage(&machine, size, i + 1);
  Kernel kernel = make_kernel(&machine, SHADER(sum), 3, 0);
  const VkDescriptorUpdateTemplateEntry entries[] = {
      {0, 0, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, offsetof(Node, inputs[0].info),
       sizeof((Node*)0)->inputs[0]},
      {2, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, offsetof(Node, output), 0}};
  const VkDescriptorUpdateTemplateCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
      .descriptorUpdateEntryCount = 2,
      .pDescriptorUpdateEntries = entries,
      .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
      .descriptorSetLayout = kernel.set_layout};
  VkDescriptorUpdateTemplate update;
  CHECK(vkCreateDescriptorUpdateTemplate(machine.device, &info, NULL, &update));
  Node node = {
      .tag = 7,
      .output = {buffers[2].buffer, 0, VK_WHOLE_SIZE},
      .inputs = {{"a", {buffers[0].buffer, 0, size}}, {"b", {buffers[1].buffer, 0, size}}}};
  VkDescriptorSet first = make_set(&machine, kernel.set_layout);
  vkUpdateDescriptorSetWithTemplate(machine.device, first, update, &node);
  VkDescriptorSet second = make_set(&machine, kernel.set_layout);
  // Copied, and then one of them is another.
  const VkCopyDescriptorSet copies[] = {
      {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
       .srcSet = first,
       .srcBinding = 1,
       .dstSet = second,
       .dstBinding = 0,
       .descriptorCount = 2},
  };
  const VkDescriptorBufferInfo last = {buffers[3].buffer, 0, size};
  const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = second,
                                      .dstBinding = 2,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &last};
  vkUpdateDescriptorSets(machine.device, 1, &write, 1, copies);
  VkDescriptorSet third = make_set(&machine, kernel.set_layout);
  const VkDescriptorBufferInfo three[] = {
      {buffers[3].buffer, 0, size}, {buffers[2].buffer, 0, size}, {buffers[0].buffer, 0, size}};
  const VkWriteDescriptorSet over = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = third,
                                     .dstBinding = 0,
                                     .descriptorCount = 3,
                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     .pBufferInfo = three};
  vkUpdateDescriptorSets(machine.device, 1, &over, 0, NULL);
  VkCommandBuffer commands = begin_once(&machine);
  const VkDescriptorSet sets[] = {first, second, third};
  for (int i = 0; i < 3; ++i) {
    use(commands, &kernel, sets[i]);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    order_kernels(commands);
  }
  order_for_host(commands);
  end_and_run(&machine, commands);
  for (int i = 0; i < 4; ++i) digest_buffer("buffer", &buffers[i]);
  CHECK(vkFreeDescriptorSets(machine.device, machine.sets, 2, sets));
  vkDestroyDescriptorUpdateTemplate(machine.device, update, NULL);
  free_kernel(&machine, &kernel);
  for (int i = 0; i < 4; ++i) free_buffer(&machine, &buffers[i]);
  close_machine(&machine);
  return 0;
}
