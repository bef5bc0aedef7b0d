// one_block.c - a WebGPU runtime: one block of 64 MiB, mapped for ever, with thirty buffers in it;
// three sets, dynamic offsets, uniform buffers, indirect dispatches, a timeline.
#include "machine.h"
#include "make_sizes.h"
#include "uniforms.h"

enum { buffers = 30, block_bytes = 64 << 20, size = 4096 * 4, stride = 1 << 20 };

typedef struct Settings {
  uint32_t scale[4];
  struct {
    uint32_t weights[4], add, unused[3];
  } lines[3];
} Settings;

static void wait_value(const Machine* machine, VkSemaphore timeline, uint64_t value) {
  const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                    .semaphoreCount = 1,
                                    .pSemaphores = &timeline,
                                    .pValues = &value};
  CHECK(vkWaitSemaphores(machine->device, &info, UINT64_MAX));
}

static void submit_value(const Machine* machine, VkCommandBuffer commands, VkSemaphore timeline,
                         uint64_t value) {
  const VkTimelineSemaphoreSubmitInfo values = {
      .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .signalSemaphoreValueCount = 1,
      .pSignalSemaphoreValues = &value};
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .pNext = &values,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &commands,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &timeline};
  CHECK(vkQueueSubmit(machine->queue, 1, &info, VK_NULL_HANDLE));
}

int main(void) {
  const VkPhysicalDeviceVulkan12Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .timelineSemaphore = VK_TRUE};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  VkDeviceMemory block = make_memory(&machine, block_bytes, NULL);
  char* bytes = map_memory(&machine, block);
  VkBuffer all[buffers];
  for (uint32_t i = 0; i < buffers; ++i) {
    all[i] = make_bare_buffer(&machine, i ? size : 4096,
                              VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                  (i ? 0 : VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT) |
                                  (i == 1 ? VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT : 0));
    CHECK(vkBindBufferMemory(machine.device, all[i], block, i * (VkDeviceSize)stride));
    fill_scrambled(bytes + i * (size_t)stride, i ? size : 4096, i);
  }
  for (uint32_t slot = 0; slot < 4; ++slot) {  // settings, at offsets that a bind chooses
    Settings* settings = (Settings*)(bytes + slot * 256);
    for (uint32_t i = 0; i < 4; ++i) settings->scale[i] = slot * 2 + i + 1;
    for (uint32_t line = 0; line < 3; ++line) {
      for (uint32_t i = 0; i < 4; ++i) settings->lines[line].weights[i] = line * 4 + i + slot;
      settings->lines[line].add = line + 100 * slot;
    }
  }
  const VkDescriptorSetLayoutBinding shapes[3] = {
      binding(0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1),
      binding(2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
      binding(1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1)};
  VkDescriptorSetLayout set_layouts[3];
  for (int i = 0; i < 3; ++i) set_layouts[i] = make_set_layout(&machine, 1, &shapes[i], 0);
  VkPipelineLayout layout = make_layout(&machine, 3, set_layouts, 0);
  const PipelineWish plain = {0};
  VkPipeline pipeline = make_pipeline(&machine, SHADER(uniforms), layout, &plain);
  Kernel sizes = make_kernel(&machine, SHADER(make_sizes), 1, 0);
  VkDescriptorSet size_set = make_set(&machine, sizes.set_layout);
  write_range(&machine, size_set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, all[1], 0, 64);
  VkDescriptorSet settings = make_set(&machine, set_layouts[0]);
  write_range(&machine, settings, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, all[0], 0,
              sizeof(Settings));
  const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                           .pNext = &type};
  VkSemaphore timeline;
  CHECK(vkCreateSemaphore(machine.device, &semaphore, NULL, &timeline));
  for (uint32_t pass = 0; pass < 10; ++pass) {
    VkDescriptorSet from = make_set(&machine, set_layouts[1]),
                    to = make_set(&machine, set_layouts[2]);
    const uint32_t source = 2 + pass * 2, target = 3 + pass * 2;
    write_range(&machine, from, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, all[source], 256,
                VK_WHOLE_SIZE);
    write_range(&machine, to, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, all[target], 0, 8192);
    VkCommandBuffer commands = begin_once(&machine);
    if (pass % 3 == 2) {
      use(commands, &sizes, size_set);
      vkCmdDispatch(commands, 1, 1, 1);
      order(commands, shader_stage, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
            VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
    }
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    const VkDescriptorSet sets[3] = {settings, from, to};
    const uint32_t offsets[2] = {(pass % 4) * 256, (pass % 5) * 1024};
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 3, sets, 2,
                            offsets);
    if (pass % 3 == 2)
      vkCmdDispatchIndirect(commands, all[1], 0);
    else
      vkCmdDispatch(commands, 64, 1, 1);
    order_kernels(commands);
    const uint32_t other[2] = {((pass + 1) % 4) * 256, 2048};  // the same sets elsewhere
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &settings, 1,
                            other);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 2, 1, &to, 1,
                            &other[1]);
    vkCmdDispatch(commands, 8, 1, 1);
    order_for_host(commands);
    CHECK(vkEndCommandBuffer(commands));
    // The host writes beside what the device uses, and what a later pass reads.
    submit_value(&machine, commands, timeline, pass + 1);
    fill_scrambled(bytes + (source + 2) * (size_t)stride, 4000, pass + 50);
    wait_value(&machine, timeline, pass + 1);
    digest("pass", bytes + target * (size_t)stride, size);
    vkFreeCommandBuffers(machine.device, machine.commands, 1, &commands);
  }
  digest("block", bytes, buffers * (size_t)stride);
  vkDestroySemaphore(machine.device, timeline, NULL);
  vkDestroyPipeline(machine.device, pipeline, NULL);
  vkDestroyPipelineLayout(machine.device, layout, NULL);
  for (int i = 0; i < 3; ++i) vkDestroyDescriptorSetLayout(machine.device, set_layouts[i], NULL);
  free_kernel(&machine, &sizes);
  for (uint32_t i = 0; i < buffers; ++i) vkDestroyBuffer(machine.device, all[i], NULL);
  vkFreeMemory(machine.device, block, NULL);
  close_machine(&machine);
  return 0;
}
