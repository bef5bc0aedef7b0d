// push_constants.c - push constants given in parts, kept while pipelines change, pushed before any
// is bound; sets that stay bound under another pipeline, and sets that are disturbed.
#include "advance.h"
#include "machine.h"
#include "partial.h"
#include "scale.h"

enum { size = 1024 * 4 };

int main(void) {
  Machine machine = open_machine();
  Buffer first = make_storage(&machine, size, 1), second = make_storage(&machine, size, 2);
  Kernel scaled = make_kernel(&machine, SHADER(scale), 2, 8);
  // The same shape of sets and push constants: what is bound and pushed stays.
  VkPipeline alike = make_pipeline(&machine, SHADER(partial), scaled.layout, &(PipelineWish){0});
  VkPipeline advanced = make_pipeline(&machine, SHADER(advance), scaled.layout, &(PipelineWish){0});
  VkDescriptorSet there = BIND(&machine, &scaled, &first, &second);
  VkDescriptorSet back = BIND(&machine, &scaled, &second, &first);
  VkCommandBuffer commands = begin_once(&machine);
  const uint32_t numbers[] = {3, 5, 7, 11};
  vkCmdPushConstants(commands, scaled.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, numbers);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, scaled.layout, 0, 1, &there, 0,
                          NULL);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, scaled.pipeline);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_kernels(commands);
  vkCmdPushConstants(commands, scaled.layout, VK_SHADER_STAGE_COMPUTE_BIT, 4, 4, &numbers[2]);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, advanced);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_kernels(commands);
  vkCmdPushConstants(commands, scaled.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &numbers[3]);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, scaled.pipeline);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_kernels(commands);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, scaled.layout, 0, 1, &back, 0,
                          NULL);
  vkCmdDispatch(commands, groups_of(size) / 2, 1, 1);
  order_kernels(commands);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, alike);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest_buffer("first", &first);
  digest_buffer("second", &second);
  vkDestroyPipeline(machine.device, alike, NULL);
  vkDestroyPipeline(machine.device, advanced, NULL);
  free_kernel(&machine, &scaled);
  FREE_BUFFERS(&machine, &first, &second);
  close_machine(&machine);
  return 0;
}
