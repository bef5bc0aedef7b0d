// network.c - an inference engine: one buffer of 16 MiB cut by offsets, push descriptors by
// template and without, twenty constants, a push block of 72 bytes, a barrier of a range before
// each layer.
#include "machine.h"
#include "many_constants.h"

enum { layers = 24, width = 32, height = 16, channels = 8, tensor = width * height * channels * 4 };
enum { all_bytes = 16 << 20, step = 256 * 1024 };

typedef struct Bound {
  VkDescriptorBufferInfo buffers[3];
} Bound;

static VkDescriptorUpdateTemplate make_template(const Machine* machine,
                                                VkDescriptorSetLayout set_layout,
                                                VkPipelineLayout layout) {
  VkDescriptorUpdateTemplateEntry entries[3];
  for (uint32_t i = 0; i < 3; ++i)
    entries[i] =
        (VkDescriptorUpdateTemplateEntry){.dstBinding = i,
                                          .descriptorCount = 1,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                          .offset = i * sizeof(VkDescriptorBufferInfo),
                                          .stride = sizeof(VkDescriptorBufferInfo)};
  const VkDescriptorUpdateTemplateCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
      .descriptorUpdateEntryCount = 3,
      .pDescriptorUpdateEntries = entries,
      .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
      .descriptorSetLayout = set_layout,
      .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
      .pipelineLayout = layout,
      .set = 0};
  VkDescriptorUpdateTemplate made;
  CHECK(vkCreateDescriptorUpdateTemplate(machine->device, &info, NULL, &made));
  return made;
}

static VkPipeline make_layer(const Machine* machine, VkPipelineLayout layout, uint32_t number) {
  struct {
    int32_t local[3], shape[6];
    float leak;
    int32_t rest[10];
  } values = {.local = {4, 4, 4}, .shape = {0, 0, 0, 1, 1, (int32_t)number % 3}, .leak = 0.25f};
  if (number % 2) memcpy(values.shape, (int32_t[]){width, height, channels}, 12);
  for (int i = 0; i < 10; ++i) values.rest[i] = i ? (int32_t)(number + (uint32_t)i) % 3 : 1;
  VkSpecializationMapEntry entries[20];
  for (uint32_t i = 0; i < 20; ++i)
    entries[i] = (VkSpecializationMapEntry){i < 3 ? 233 + i : i - 3, i * 4, 4};
  const VkSpecializationInfo constants = {20, entries, sizeof values, &values};
  return make_pipeline(machine, SHADER(many_constants), layout,
                       &(PipelineWish){.constants = &constants});
}

static void order_range(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset) {
  const VkBufferMemoryBarrier range = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                       .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                       .dstAccessMask = VK_ACCESS_SHADER_READ_BIT,
                                       .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .buffer = buffer,
                                       .offset = offset,
                                       .size = tensor};
  vkCmdPipelineBarrier(commands, shader_stage, shader_stage, 0, 0, NULL, 1, &range, 0, NULL);
}

int main(void) {
  const char* const extensions[] = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
  Machine machine = open_machine_with(&(Wanted){.extensions = extensions, .extension_count = 1});
  PFN_vkCmdPushDescriptorSetKHR push_set = (PFN_vkCmdPushDescriptorSetKHR)vkGetDeviceProcAddr(
      machine.device, "vkCmdPushDescriptorSetKHR");
  PFN_vkCmdPushDescriptorSetWithTemplateKHR push_template =
      (PFN_vkCmdPushDescriptorSetWithTemplateKHR)vkGetDeviceProcAddr(
          machine.device, "vkCmdPushDescriptorSetWithTemplateKHR");
  EXPECT(push_set && push_template);
  Buffer all = make_buffer(&machine, all_bytes,
                           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                               VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  Buffer weights = make_buffer(&machine, 1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  for (int i = 0; i < 256; ++i) ((float*)weights.bytes)[i] = (float)(i % 5) - 2;
  for (int i = 0; i < tensor / 4; ++i)
    ((float*)all.bytes)[i] = (float)(scrambled((uint32_t)i) % 16);
  VkDescriptorSetLayoutBinding bindings[3];
  for (uint32_t i = 0; i < 3; ++i) bindings[i] = binding(i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1);
  VkDescriptorSetLayout set_layout = make_set_layout(
      &machine, 3, bindings, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  VkPipelineLayout layout = make_layout(&machine, 1, &set_layout, 72);
  VkDescriptorUpdateTemplate update = make_template(&machine, set_layout, layout);
  VkPipeline pipelines[layers];
  for (uint32_t i = 0; i < layers; ++i) pipelines[i] = make_layer(&machine, layout, i);
  VkCommandBuffer commands = begin_once(&machine);
  for (uint32_t i = 0; i < layers; ++i) {
    const VkDeviceSize from = i * step, to = (i + 1) * step;
    if (i) order_range(commands, all.buffer, from);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[i]);
    const Bound bound = {{{all.buffer, from, tensor},
                          {all.buffer, to, tensor},
                          {weights.buffer, (i % 4) * 256, VK_WHOLE_SIZE}}};
    if (i % 3) {
      push_template(commands, update, layout, 0, &bound);
    } else {
      VkWriteDescriptorSet writes[3];
      for (uint32_t k = 0; k < 3; ++k)
        writes[k] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstBinding = k,
                                           .descriptorCount = 1,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .pBufferInfo = &bound.buffers[k]};
      push_set(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 3, writes);
    }
    int32_t dims[18] = {width, height, channels};
    dims[17] = (int32_t)i;
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof dims, dims);
    vkCmdDispatch(commands, width / 4, height / 4, channels / 4);
  }
  order_for_host(commands);
  end_and_run(&machine, commands);
  for (int i = 0; i <= layers; i += 6) digest("layer", (char*)all.bytes + i * step, tensor);
  for (uint32_t i = 0; i < layers; ++i) vkDestroyPipeline(machine.device, pipelines[i], NULL);
  vkDestroyDescriptorUpdateTemplate(machine.device, update, NULL);
  vkDestroyPipelineLayout(machine.device, layout, NULL);
  vkDestroyDescriptorSetLayout(machine.device, set_layout, NULL);
  FREE_BUFFERS(&machine, &all, &weights);
  close_machine(&machine);
  return 0;
}
