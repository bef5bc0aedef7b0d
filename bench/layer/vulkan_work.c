/* vulkan_work.c - Vulkan work written by hand, to be measured with and without Reel's layer.
 *
 *   vulkan_work together N  N dispatches of 1024 items that nothing keeps apart, in one submission
 *   vulkan_work barriers N  the same, with a barrier behind each eighth
 *   vulkan_work each N      the same, with a barrier behind each
 *   vulkan_work record N    N dispatches recorded, 2000 at a time, and never submitted
 *
 * Prints the nanoseconds of the loop by the clock on the wall, those of the CPU (in all threads; of
 * `record`, in this one), and a number made of the results. Dispatches go round sixteen parts of a
 * buffer, so that those between two barriers touch different bytes. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

#include "small.h"

enum { items = 1024, parts = 16, part_bytes = items * 4, recorded_at_once = 2000 };

static VkDevice device;
static VkQueue queue;
static VkDescriptorSet sets[parts];
static VkPipelineLayout layout;
static VkPipeline pipeline;

static void check(VkResult status) {
  if (status == VK_SUCCESS) return;
  fprintf(stderr, "vulkan_work: a Vulkan call gave %d.\n", (int)status);
  exit(1);
}

static double now_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static VkPhysicalDevice open_device(VkInstance instance) {
  VkPhysicalDevice physical;
  uint32_t count = 1;
  vkEnumeratePhysicalDevices(instance, &count, &physical);
  const float priority = 1;
  /* The first family computes, on every driver that this was tried on. */
  const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
  const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                   .queueCreateInfoCount = 1,
                                   .pQueueCreateInfos = &queue_info};
  check(vkCreateDevice(physical, &info, NULL, &device));
  vkGetDeviceQueue(device, 0, 0, &queue);
  return physical;
}

static uint32_t* make_buffer(VkPhysicalDevice physical, VkBuffer* buffer) {
  const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                   .size = parts * part_bytes,
                                   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  check(vkCreateBuffer(device, &info, NULL, buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, *buffer, &needs);
  const VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  uint32_t type = 0;
  while (!(needs.memoryTypeBits >> type & 1) ||
         (memory.memoryTypes[type].propertyFlags & wanted) != wanted)
    ++type;
  const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .allocationSize = needs.size,
                                           .memoryTypeIndex = type};
  VkDeviceMemory made;
  check(vkAllocateMemory(device, &allocation, NULL, &made));
  check(vkBindBufferMemory(device, *buffer, made, 0));
  void* bytes;
  check(vkMapMemory(device, made, 0, VK_WHOLE_SIZE, 0, &bytes));
  memset(bytes, 0, parts * part_bytes);
  return bytes;
}

static void make_kernel(VkBuffer buffer) {
  const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                .descriptorCount = 1,
                                                .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  const VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = 1,
      .pBindings = &binding};
  VkDescriptorSetLayout set_layout;
  check(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
  const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 4};
  const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = 1,
      .pSetLayouts = &set_layout,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &push};
  check(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
  const VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = sizeof small,
      .pCode = small};
  VkShaderModule module;
  check(vkCreateShaderModule(device, &module_info, NULL, &module));
  const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main"},
      .layout = layout};
  check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, parts};
  const VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .maxSets = parts,
      .poolSizeCount = 1,
      .pPoolSizes = &size};
  VkDescriptorPool pool;
  check(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
  for (uint32_t i = 0; i < parts; ++i) {
    const VkDescriptorSetAllocateInfo wanted = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &set_layout};
    check(vkAllocateDescriptorSets(device, &wanted, &sets[i]));
    const VkDescriptorBufferInfo range = {buffer, i * part_bytes, part_bytes};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = sets[i],
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &range};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
  }
}

static void begin(VkCommandBuffer commands) {
  const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  const uint32_t by = 1;
  check(vkBeginCommandBuffer(commands, &info));
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &by);
}

static void bind_part(VkCommandBuffer commands, uint32_t i) {
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[i % parts],
                          0, NULL);
}

static void order(VkCommandBuffer commands) {
  const VkMemoryBarrier memory = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &memory, 0, NULL, 0, NULL);
}

static void run(VkCommandBuffer commands, uint32_t count, uint32_t every) {
  begin(commands);
  for (uint32_t i = 0; i < count; ++i) {
    bind_part(commands, i);
    vkCmdDispatch(commands, items / 64, 1, 1);
    if (i % every == every - 1) order(commands);
  }
  check(vkEndCommandBuffer(commands));
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &commands};
  check(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
  check(vkQueueWaitIdle(queue));
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "Usage: vulkan_work together|barriers|each|record COUNT\n");
    return 2;
  }
  const char* work = argv[1];
  const uint32_t count = (uint32_t)strtoul(argv[2], NULL, 10);
  const uint32_t every = strcmp(work, "each") == 0 ? 1 : strcmp(work, "barriers") == 0 ? 8 : parts;
  const int records = strcmp(work, "record") == 0;
  const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  VkInstance instance;
  check(vkCreateInstance(&instance_info, NULL, &instance));
  VkBuffer buffer;
  uint32_t* values = make_buffer(open_device(instance), &buffer);
  make_kernel(buffer);
  const VkCommandPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
  VkCommandPool pool;
  check(vkCreateCommandPool(device, &pool_info, NULL, &pool));
  const VkCommandBufferAllocateInfo wanted = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = pool,
      .commandBufferCount = 1};
  VkCommandBuffer commands;
  check(vkAllocateCommandBuffers(device, &wanted, &commands));
  run(commands, parts, 1); /* once to warm up: the driver compiles when it first runs */

  const clockid_t cpu_clock = records ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID;
  double wall = 0, cpu = 0;
  for (uint32_t done = 0; done < count;) {
    const uint32_t now =
        records && count - done > recorded_at_once ? recorded_at_once : count - done;
    if (records) {
      begin(commands);
      bind_part(commands, 0);
    }
    const double wall_begin = now_ns(CLOCK_MONOTONIC), cpu_begin = now_ns(cpu_clock);
    if (records)
      for (uint32_t i = 0; i < now; ++i) vkCmdDispatch(commands, items / 64, 1, 1);
    else
      run(commands, now, every);
    wall += now_ns(CLOCK_MONOTONIC) - wall_begin, cpu += now_ns(cpu_clock) - cpu_begin;
    if (records) check(vkEndCommandBuffer(commands));
    done += now;
  }
  uint64_t sum = 0;
  for (uint32_t i = 0; i < parts * items; ++i) sum += values[i];
  printf("%.0f %.0f %llu\n", wall, cpu, (unsigned long long)sum);
  vkDestroyCommandPool(device, pool, NULL);
  return 0;
}
