// fence_polls.c - another WebGPU runtime: fences asked thousands of times, a pipeline cache, an
// entry that isn't main, Vulkan's memory model, fences reset and given again.
#include "machine.h"
#include "memory_model.h"

enum { size = 16384 * 4 };

static VkPipelineCache make_cache(const Machine* machine, size_t bytes, const void* from) {
  const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                          .initialDataSize = bytes,
                                          .pInitialData = from};
  VkPipelineCache cache;
  CHECK(vkCreatePipelineCache(machine->device, &info, NULL, &cache));
  return cache;
}

int main(void) {
  const VkPhysicalDeviceVulkan12Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .vulkanMemoryModel = VK_TRUE,
      .vulkanMemoryModelDeviceScope = VK_TRUE};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  Buffer values = make_storage(&machine, size, 1), total = make_storage(&machine, 4, 2);
  VkPipelineCache cache = make_cache(&machine, 0, NULL);
  Kernel kernel = make_kernel_with(&machine, SHADER(memory_model), 2, 0,
                                   &(PipelineWish){.entry = "compute_all", .cache = cache});
  size_t cached = 0;
  CHECK(vkGetPipelineCacheData(machine.device, cache, &cached, NULL));
  void* bytes = malloc(cached);
  CHECK(vkGetPipelineCacheData(machine.device, cache, &cached, bytes));
  VkPipelineCache again = make_cache(&machine, cached, bytes);
  free(bytes);
  Kernel other = make_kernel_with(&machine, SHADER(memory_model), 2, 0,
                                  &(PipelineWish){.entry = "compute_all", .cache = again});
  CHECK(vkMergePipelineCaches(machine.device, cache, 1, &again));
  VkDescriptorSet set = BIND(&machine, &kernel, &values, &total);
  VkFence fence = make_fence(&machine);
  for (int round = 0; round < 10; ++round) {
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, round % 2 ? &other : &kernel, set);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    order_for_host(commands);
    CHECK(vkEndCommandBuffer(commands));
    submit(&machine, 1, &commands, fence);
    VkResult status = VK_NOT_READY;
    while (status == VK_NOT_READY)
      status = round % 3 ? vkGetFenceStatus(machine.device, fence)
                         : vkWaitForFences(machine.device, 1, &fence, VK_TRUE, 0);
    while (status == VK_TIMEOUT) status = vkWaitForFences(machine.device, 1, &fence, VK_TRUE, 1000);
    CHECK(status);
    CHECK(vkResetFences(machine.device, 1, &fence));
    ((uint32_t*)values.bytes)[round * 7] += 5;  // it knows that the device is done
    digest_buffer("total", &total);
    vkFreeCommandBuffers(machine.device, machine.commands, 1, &commands);
  }
  digest_buffer("values", &values);
  vkDestroyFence(machine.device, fence, NULL);
  vkDestroyPipelineCache(machine.device, cache, NULL);
  vkDestroyPipelineCache(machine.device, again, NULL);
  FREE_KERNELS(&machine, &kernel, &other);
  FREE_BUFFERS(&machine, &values, &total);
  close_machine(&machine);
  return 0;
}
