// entries.c - several entries in a module, none of them main; many pipelines of one call, derived
// ones, modules that are gone or made anew with the same handle.
#include "entries.h"

#include "machine.h"

enum { size = 1024 * 4 };

int main(void) {
  Machine machine = open_machine();
  Buffer values = make_storage(&machine, size, 1), other = make_storage(&machine, size, 2);
  Kernel twice =
      make_kernel_with(&machine, SHADER(entries), 2, 0, &(PipelineWish){.entry = "twice"});
  VkShaderModule module = make_module(&machine, SHADER(entries));
  VkComputePipelineCreateInfo infos[4];
  for (int i = 0; i < 4; ++i)
    infos[i] = (VkComputePipelineCreateInfo){
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = i ? VK_PIPELINE_CREATE_DERIVATIVE_BIT : VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = i % 2 ? "twice" : "mixed_with_other"},
        .layout = twice.layout,
        .basePipelineIndex = i ? 0 : -1};
  VkPipeline pipelines[4];
  CHECK(vkCreateComputePipelines(machine.device, VK_NULL_HANDLE, 4, infos, NULL, pipelines));
  vkDestroyShaderModule(machine.device, module, NULL);
  VkDescriptorSet set = BIND(&machine, &twice, &values, &other);
  VkCommandBuffer commands = begin_once(&machine);
  use(commands, &twice, set);
  vkCmdDispatch(commands, size / 4 / 16, 1, 1);
  for (int i = 0; i < 4; ++i) {
    order_kernels(commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[i]);
    vkCmdDispatch(commands, size / 4 / (i % 2 ? 16 : 32), 1, 1);
  }
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest_buffer("values", &values);
  digest_buffer("other", &other);
  for (int i = 0; i < 4; ++i) vkDestroyPipeline(machine.device, pipelines[i], NULL);
  free_kernel(&machine, &twice);
  FREE_BUFFERS(&machine, &values, &other);
  close_machine(&machine);
  return 0;
}
