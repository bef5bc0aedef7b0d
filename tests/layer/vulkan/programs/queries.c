// queries.c - timestamps and other query pools: read by the host, copied into memory, reset by
// both; what they say is printed only as far as it must hold.
#include "advance.h"
#include "machine.h"

enum { size = 16384 * 4 };

int main(void) {
  const VkPhysicalDeviceVulkan12Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .hostQueryReset = VK_TRUE};
  const VkPhysicalDeviceVulkan13Features newer = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
      .pNext = (void*)&features,
      .synchronization2 = VK_TRUE};
  Machine machine = open_machine_with(&(Wanted){.features = &newer});
  Buffer values = make_storage(&machine, size, 1);
  Buffer stamps = make_buffer(
      &machine, 64, VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  memset(stamps.bytes, 0, 64);
  Kernel kernel = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDescriptorSet set = BIND(&machine, &kernel, &values);
  const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                      .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                      .queryCount = 8};
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(machine.device, &info, NULL, &pool));
  for (uint32_t round = 0; round < 3; ++round) {
    if (round == 1) vkResetQueryPool(machine.device, pool, 0, 8);
    VkCommandBuffer commands = begin_once(&machine);
    if (round != 1) vkCmdResetQueryPool(commands, pool, 0, 8);
    use(commands, &kernel, set);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
    for (uint32_t i = 0; i < 3; ++i) {
      push_two(commands, &kernel, 3 + i, round);
      vkCmdDispatch(commands, groups_of(size), 1, 1);
      order_kernels(commands);
      if (i == 1)
        vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, pool, i + 1);
      else
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, pool, i + 1);
    }
    vkCmdCopyQueryPoolResults(commands, pool, 0, 4, stamps.buffer, 0, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    order_for_host(commands);
    end_and_run(&machine, commands);
    uint64_t times[4];
    CHECK(vkGetQueryPoolResults(machine.device, pool, 0, 4, sizeof times, times, 8,
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    printf("grow %d, copied %d\n",
           times[0] && times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3],
           !memcmp(times, stamps.bytes, sizeof times));
    digest_buffer("values", &values);
  }
  vkDestroyQueryPool(machine.device, pool, NULL);
  free_kernel(&machine, &kernel);
  FREE_BUFFERS(&machine, &values, &stamps);
  close_machine(&machine);
  return 0;
}
