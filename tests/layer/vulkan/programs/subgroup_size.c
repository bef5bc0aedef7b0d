// subgroup_size.c - a required subgroup size, full subgroups, sizes that may vary.
#include "machine.h"
#include "subgroups.h"

enum { size = 1024 * 4 };

int main(void) {
  const VkPhysicalDeviceVulkan13Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
      .subgroupSizeControl = VK_TRUE,
      .computeFullSubgroups = VK_TRUE};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  VkPhysicalDeviceVulkan13Properties has = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
  VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                            .pNext = &has};
  vkGetPhysicalDeviceProperties2(machine.physical, &properties);
  Buffer from = make_storage(&machine, size, 1), to = make_storage(&machine, size, 2);
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = has.maxSubgroupSize};
  const PipelineWish wishes[] = {
      {0},
      {.stage_next = &required},
      {.stage_next = &required,
       .stage_flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT},
      {.stage_flags = VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT}};
  for (uint32_t i = 0; i < COUNT(wishes); ++i) {
    Kernel kernel = make_kernel_with(&machine, SHADER(subgroups), 2, 0, &wishes[i]);
    VkDescriptorSet set = BIND(&machine, &kernel, &from, &to);
    ((uint32_t*)from.bytes)[i * 9] ^= 1;
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &kernel, set);
    vkCmdDispatch(commands, size / 4 / 32, 1, 1);
    order_for_host(commands);
    end_and_run(&machine, commands);
    digest_buffer("to", &to);
    free_kernel(&machine, &kernel);
  }
  FREE_BUFFERS(&machine, &from, &to);
  close_machine(&machine);
  return 0;
}
