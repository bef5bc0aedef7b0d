// functions.c - functions by name: called through what the loader and the device give, null where
// there is nothing, lists of layers and extensions, allocators of the program, private data.
#include "advance.h"
#include "machine.h"

enum { size = 1024 * 4 };

static int live;  // what the driver holds of our memory

static void* VKAPI_CALL allocate(void* data, size_t bytes, size_t alignment,
                                 VkSystemAllocationScope scope) {
  (void)data, (void)scope;
  ++live;
  const size_t least = alignment < 16 ? 16 : alignment;
  return aligned_alloc(least, (bytes + least - 1) / least * least);
}
static void VKAPI_CALL give_back(void* data, void* memory) {
  (void)data;
  if (memory) --live;
  free(memory);
}
static void* VKAPI_CALL allocate_again(void* data, void* memory, size_t bytes, size_t alignment,
                                       VkSystemAllocationScope scope) {
  if (!bytes) return give_back(data, memory), NULL;
  void* made = allocate(data, bytes, alignment, scope);
  if (memory) memcpy(made, memory, bytes), give_back(data, memory);
  return made;
}

int main(void) {
  const VkAllocationCallbacks callbacks = {
      .pfnAllocation = allocate, .pfnReallocation = allocate_again, .pfnFree = give_back};
  const VkPhysicalDeviceVulkan13Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .privateData = VK_TRUE};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  VkDevice device = machine.device;
#define DEVICE(name) \
  PFN_vk##name call_##name = (PFN_vk##name)vkGetDeviceProcAddr(device, "vk" #name)
  DEVICE(CmdDispatch);
  DEVICE(QueueSubmit);
  DEVICE(MapMemory);
  DEVICE(CreateBuffer);
  DEVICE(DestroyBuffer);
  printf("of an extension that is off: %d\n",
         vkGetDeviceProcAddr(device, "vkCmdPushDescriptorSetKHR") != NULL);
  printf("of nothing: %d %d\n", vkGetDeviceProcAddr(device, "vkCmdNothing") != NULL,
         vkGetInstanceProcAddr(machine.instance, "vkNothing") != NULL);
  printf("of an instance by a device: %d\n",
         vkGetDeviceProcAddr(device, "vkCreateInstance") != NULL);
  printf("without an instance: %d\n", vkGetInstanceProcAddr(NULL, "vkCreateInstance") != NULL);
  VkExtensionProperties extensions[256];
  uint32_t count = 256, again = 0;
  CHECK(vkEnumerateDeviceExtensionProperties(machine.physical, NULL, &count, extensions));
  CHECK(vkEnumerateDeviceExtensionProperties(machine.physical, NULL, &again, NULL));
  printf("extensions %u %d\n", count, count == again);

  Buffer values = make_storage(&machine, size, 1);
  const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                   .size = size,
                                   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  VkBuffer own;
  CHECK(call_CreateBuffer(device, &info, &callbacks, &own));
  VkPrivateDataSlot slot;
  const VkPrivateDataSlotCreateInfo slot_info = {
      .sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
  CHECK(vkCreatePrivateDataSlot(device, &slot_info, NULL, &slot));
  CHECK(vkSetPrivateData(device, VK_OBJECT_TYPE_BUFFER, (uint64_t)own, slot, 4711));
  uint64_t data = 0;
  vkGetPrivateData(device, VK_OBJECT_TYPE_BUFFER, (uint64_t)own, slot, &data);
  printf("private %llu\n", (unsigned long long)data);
  vkDestroyPrivateDataSlot(device, slot, NULL);
  call_DestroyBuffer(device, own, &callbacks);
  call_DestroyBuffer(device, VK_NULL_HANDLE, NULL);
  printf("left %d\n", live);

  Kernel kernel = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDescriptorSet set = BIND(&machine, &kernel, &values);
  VkCommandBuffer commands = begin_once(&machine);
  use(commands, &kernel, set);
  push_two(commands, &kernel, 3, 1);
  call_CmdDispatch(commands, groups_of(size), 1, 1);
  order_for_host(commands);
  CHECK(vkEndCommandBuffer(commands));
  const VkSubmitInfo given = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                              .commandBufferCount = 1,
                              .pCommandBuffers = &commands};
  CHECK(call_QueueSubmit(machine.queue, 1, &given, VK_NULL_HANDLE));
  CHECK(vkQueueWaitIdle(machine.queue));
  vkUnmapMemory(device, values.memory);
  CHECK(call_MapMemory(device, values.memory, 0, size, 0, &values.bytes));
  digest_buffer("values", &values);
  // Commands of a pool that goes with them.
  vkDestroyCommandPool(device, machine.commands, NULL);
  machine.commands = make_command_pool(device, machine.family);
  free_kernel(&machine, &kernel);
  free_buffer(&machine, &values);
  close_machine(&machine);
  return 0;
}
