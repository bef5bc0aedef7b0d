// timed.c - writes timestamps of its own around its dispatches, in one of several ways of giving
// commands, and tells of them by a label of what it submits next: so whoever records the program
// has them beside the times that he took himself.
//
// Each piece of work is a dispatch, a barrier, and two dispatches that may run side by side; own
// timestamps stand before the first, after it, behind the barrier, and after the last.
#include "advance.h"
#include "machine.h"

enum { size = 1 << 22, rounds = 3, stamps = 4 };

static PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
static PFN_vkCmdEndDebugUtilsLabelEXT end_label;

static Machine machine;
static Kernel kernel;
static VkDescriptorSet sets[2];
static VkQueryPool pool;
static double period_ns;
static unsigned given;  // commands, as a document counts them

static void stamp(VkCommandBuffer commands, VkPipelineStageFlagBits stage, uint32_t number) {
  vkCmdWriteTimestamp(commands, stage, pool, number);
}

static void dispatch(VkCommandBuffer commands, int which) {
  use(commands, &kernel, sets[which]);
  push_two(commands, &kernel, 3, 7);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
}

static void first_half(VkCommandBuffer commands, uint32_t query) {
  vkCmdResetQueryPool(commands, pool, query, stamps);
  stamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, query);
  dispatch(commands, 0);
  stamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, query + 1);
  order_kernels(commands);
}

static void second_half(VkCommandBuffer commands, uint32_t query) {
  stamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, query + 2);
  dispatch(commands, 0);
  dispatch(commands, 1);
  stamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, query + 3);
  order_all(commands);
}

// "own 000012 …": the number of its first command, and the four times in nanoseconds.
static void tell(unsigned first, uint32_t query) {
  uint64_t ticks[stamps];
  CHECK(vkGetQueryPoolResults(machine.device, pool, query, stamps, sizeof ticks, ticks, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
  char text[128];
  int at = snprintf(text, sizeof text, "own %06u", first);
  for (int i = 0; i < stamps; ++i)
    at += snprintf(text + at, sizeof text - (size_t)at, " %020llu",
                   (unsigned long long)((double)ticks[i] * period_ns));
  const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                      .pLabelName = text};
  VkCommandBuffer commands = begin_once(&machine);
  if (begin_label) begin_label(commands, &label);
  dispatch(commands, 1);
  if (end_label) end_label(commands);
  order_all(commands);
  end_and_run(&machine, commands);
  given += 2;
}

static void record(VkCommandBuffer commands, VkCommandBufferUsageFlags flags, uint32_t query) {
  begin(commands, flags);
  first_half(commands, query);
  second_half(commands, query);
  CHECK(vkEndCommandBuffer(commands));
}

static void run_and_tell(uint32_t count, const VkCommandBuffer* commands) {
  VkFence fence = make_fence(&machine);
  submit(&machine, count, commands, fence);
  wait_fence(&machine, fence);
  vkDestroyFence(machine.device, fence, NULL);
  given += 5;
  tell(given - 5, 0);
}

static VkCommandBuffer fresh(VkCommandBufferLevel level) { return make_commands(&machine, level); }

// Recorded for each time it is given.
static void once(void) {
  VkCommandBuffer commands = fresh(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  for (int i = 0; i < rounds; ++i) {
    record(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, 0);
    run_and_tell(1, &commands);
  }
}

static void again(void) {
  VkCommandBuffer commands = fresh(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  record(commands, 0, 0);
  for (int i = 0; i < rounds; ++i) run_and_tell(1, &commands);
}

static void secondary(void) {
  VkCommandBuffer inner = fresh(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  const VkCommandBufferInheritanceInfo inherited = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
  const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .pInheritanceInfo = &inherited};
  CHECK(vkBeginCommandBuffer(inner, &info));
  first_half(inner, 0);
  CHECK(vkEndCommandBuffer(inner));
  VkCommandBuffer outer = fresh(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  begin(outer, 0);
  vkCmdExecuteCommands(outer, 1, &inner);
  second_half(outer, 0);
  CHECK(vkEndCommandBuffer(outer));
  for (int i = 0; i < rounds; ++i) run_and_tell(1, &outer);
}

// All that one call gives.
static void batches(void) {
  VkCommandBuffer commands[rounds];
  VkSubmitInfo infos[rounds];
  for (uint32_t i = 0; i < rounds; ++i) {
    commands[i] = fresh(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    record(commands[i], VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, i * stamps);
    infos[i] = (VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                              .commandBufferCount = 1,
                              .pCommandBuffers = &commands[i]};
  }
  CHECK(vkQueueSubmit(machine.queue, rounds, infos, VK_NULL_HANDLE));
  CHECK(vkQueueWaitIdle(machine.queue));
  given += 5 * rounds;
  for (uint32_t i = 0; i < rounds; ++i) tell(5 * i, i * stamps);
}

// In two buffers of one batch. Those that may be under way twice have no timestamps of others
// inside.
static void buffers(VkCommandBufferUsageFlags flags) {
  VkCommandBuffer commands[2] = {fresh(VK_COMMAND_BUFFER_LEVEL_PRIMARY),
                                 fresh(VK_COMMAND_BUFFER_LEVEL_PRIMARY)};
  begin(commands[0], flags);
  first_half(commands[0], 0);
  CHECK(vkEndCommandBuffer(commands[0]));
  begin(commands[1], flags);
  second_half(commands[1], 0);
  CHECK(vkEndCommandBuffer(commands[1]));
  for (int i = 0; i < rounds; ++i) run_and_tell(2, commands);
}

// Given again while it is under way.
static void simultaneous(void) {
  VkCommandBuffer commands = fresh(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  record(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, 0);
  for (int i = 0; i < rounds; ++i) submit(&machine, 1, &commands, VK_NULL_HANDLE);
  CHECK(vkQueueWaitIdle(machine.queue));
}

static int is_offered(const char* extension) {
  VkExtensionProperties all[64];
  uint32_t count = 64;
  vkEnumerateInstanceExtensionProperties(NULL, &count, all);
  for (uint32_t i = 0; i < count; ++i)
    if (!strcmp(all[i].extensionName, extension)) return 1;
  return 0;
}

int main(int count, char** arguments) {
  const char* const utils[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  const uint32_t offered = is_offered(utils[0]) ? 1 : 0;
  machine = open_machine_with(
      &(Wanted){.instance_extensions = utils, .instance_extension_count = offered});
  if (offered) {
    begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(
        machine.instance, "vkCmdBeginDebugUtilsLabelEXT");
    end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetInstanceProcAddr(machine.instance,
                                                                      "vkCmdEndDebugUtilsLabelEXT");
  }
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(machine.physical, &properties);
  period_ns = (double)properties.limits.timestampPeriod;
  Buffer values[2] = {make_storage(&machine, size, 1), make_storage(&machine, size, 2)};
  kernel = make_kernel(&machine, SHADER(advance), 1, 8);
  for (int i = 0; i < 2; ++i) sets[i] = BIND(&machine, &kernel, &values[i]);
  const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                      .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                      .queryCount = rounds * stamps};
  CHECK(vkCreateQueryPool(machine.device, &info, NULL, &pool));
  EXPECT(count == 2);
  const char* way = arguments[1];
  if (!strcmp(way, "once")) once();
  if (!strcmp(way, "again")) again();
  if (!strcmp(way, "secondary")) secondary();
  if (!strcmp(way, "batches")) batches();
  if (!strcmp(way, "buffers")) buffers(0);
  if (!strcmp(way, "flagged_buffers")) buffers(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  if (!strcmp(way, "simultaneous")) simultaneous();
  for (int i = 0; i < 2; ++i) digest_buffer("values", &values[i]);
  vkDestroyQueryPool(machine.device, pool, NULL);
  free_kernel(&machine, &kernel);
  for (int i = 0; i < 2; ++i) free_buffer(&machine, &values[i]);
  close_machine(&machine);
  return 0;
}
