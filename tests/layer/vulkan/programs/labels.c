// labels.c - names of objects and labels of commands and queues, where the instance offers them.
#include "advance.h"
#include "machine.h"

enum { size = 1024 * 4 };

static PFN_vkSetDebugUtilsObjectNameEXT set_name;
static PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
static PFN_vkCmdEndDebugUtilsLabelEXT end_label;
static PFN_vkCmdInsertDebugUtilsLabelEXT insert_label;
static PFN_vkQueueBeginDebugUtilsLabelEXT queue_begin;
static PFN_vkQueueEndDebugUtilsLabelEXT queue_end;

static void name(const Machine* machine, VkObjectType type, uint64_t handle, const char* text) {
  const VkDebugUtilsObjectNameInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
      .objectType = type,
      .objectHandle = handle,
      .pObjectName = text};
  if (set_name) CHECK(set_name(machine->device, &info));
}

static VkDebugUtilsLabelEXT label(const char* text) {
  return (VkDebugUtilsLabelEXT){.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                .pLabelName = text};
}

static int is_offered(const char* extension) {
  VkExtensionProperties all[64];
  uint32_t count = 64;
  vkEnumerateInstanceExtensionProperties(NULL, &count, all);
  for (uint32_t i = 0; i < count; ++i)
    if (!strcmp(all[i].extensionName, extension)) return 1;
  return 0;
}

int main(void) {
  const char* const utils[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  const uint32_t offered = is_offered(utils[0]) ? 1 : 0;
  Machine machine = open_machine_with(
      &(Wanted){.instance_extensions = utils, .instance_extension_count = offered});
#define FIND(type, text) ((type)vkGetInstanceProcAddr(machine.instance, text))
  if (offered) {
    set_name = FIND(PFN_vkSetDebugUtilsObjectNameEXT, "vkSetDebugUtilsObjectNameEXT");
    begin_label = FIND(PFN_vkCmdBeginDebugUtilsLabelEXT, "vkCmdBeginDebugUtilsLabelEXT");
    end_label = FIND(PFN_vkCmdEndDebugUtilsLabelEXT, "vkCmdEndDebugUtilsLabelEXT");
    insert_label = FIND(PFN_vkCmdInsertDebugUtilsLabelEXT, "vkCmdInsertDebugUtilsLabelEXT");
    queue_begin = FIND(PFN_vkQueueBeginDebugUtilsLabelEXT, "vkQueueBeginDebugUtilsLabelEXT");
    queue_end = FIND(PFN_vkQueueEndDebugUtilsLabelEXT, "vkQueueEndDebugUtilsLabelEXT");
  }
  Buffer values = make_storage(&machine, size, 1);
  Kernel kernel = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDescriptorSet set = BIND(&machine, &kernel, &values);
  name(&machine, VK_OBJECT_TYPE_BUFFER, (uint64_t)values.buffer, "key cache");
  name(&machine, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)values.memory, "arena");
  name(&machine, VK_OBJECT_TYPE_PIPELINE, (uint64_t)kernel.pipeline, "advance rows");
  name(&machine, VK_OBJECT_TYPE_QUEUE, (uint64_t)(uintptr_t)machine.queue, "main queue");
  name(&machine, VK_OBJECT_TYPE_BUFFER, (uint64_t)values.buffer, "key cache");
  const VkDebugUtilsLabelEXT outer = label("block 0"), inner = label("attention"),
                             point = label("here"), token = label("token");
  if (queue_begin) queue_begin(machine.queue, &token);
  VkCommandBuffer commands = begin_once(&machine);
  if (begin_label) begin_label(commands, &outer);
  use(commands, &kernel, set);
  push_two(commands, &kernel, 3, 1);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_kernels(commands);
  if (begin_label) begin_label(commands, &inner);
  if (insert_label) insert_label(commands, &point);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  if (end_label) end_label(commands);
  order_for_host(commands);
  if (end_label) end_label(commands);
  end_and_run(&machine, commands);
  if (queue_end) queue_end(machine.queue);
  digest_buffer("values", &values);
  free_kernel(&machine, &kernel);
  free_buffer(&machine, &values);
  close_machine(&machine);
  return 0;
}
