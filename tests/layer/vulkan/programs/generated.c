// generated.c - shaders made at run time, each another one, run in place stage by stage, as a
// library of Fourier transforms does.
#include "advance.h"
#include "machine.h"

enum { stages = 24, size = 65536 * 4 };

// Another size of groups: the words after OpExecutionMode LocalSize, whose numbers SPIR-V fixes.
static void change(uint32_t* words, size_t count, uint32_t local) {
  for (size_t at = 5; at < count; at += words[at] >> 16)
    if ((words[at] & 0xffff) == 16 && words[at + 2] == 17) words[at + 3] = local;
}

int main(void) {
  Machine machine = open_machine();
  Buffer values = make_storage(&machine, size, 1);
  Kernel plain = make_kernel(&machine, SHADER(advance), 1, 8);
  VkPipeline pipelines[stages];
  uint32_t words[sizeof advance / 4];
  for (uint32_t i = 0; i < stages; ++i) {
    memcpy(words, advance, sizeof advance);
    change(words, COUNT(words), 8 * (i + 1));
    pipelines[i] =
        make_pipeline(&machine, (Shader){words, sizeof words}, plain.layout, &(PipelineWish){0});
    memset(words, 0, sizeof words);  // nobody may need them any more
  }
  VkDescriptorSet set = BIND(&machine, &plain, &values);
  for (uint32_t pass = 0; pass < 3; ++pass) {
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &plain, set);
    for (uint32_t i = 0; i < stages; ++i) {
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[i]);
      push_two(commands, &plain, 2 * i + 3, pass);
      const uint32_t local = 8 * (i + 1);
      vkCmdDispatch(commands, (size / 4 + local - 1) / local, 1, 1);
      order_kernels(commands);
    }
    order_for_host(commands);
    end_and_run(&machine, commands);
    digest_buffer("pass", &values);
  }
  for (uint32_t i = 0; i < stages; ++i) vkDestroyPipeline(machine.device, pipelines[i], NULL);
  free_kernel(&machine, &plain);
  free_buffer(&machine, &values);
  close_machine(&machine);
  return 0;
}
