// frames.c - a video filter: imported frames are copied into exportable images, a kernel reads and
// writes planes as arrays of images with immutable samplers, a timeline orders the frames.
#include "frames.h"

#include "images.h"

enum { width = 64, height = 48, plane = width * height, frame_bytes = 4 * 4096, frames_given = 4 };

static Buffer import(const Machine* machine, void* bytes, VkDeviceSize size) {
  const VkExternalMemoryBufferCreateInfo external = {
      .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
      .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
  const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .pNext = &external,
      .size = size,
      .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  Buffer made = {.size = size, .bytes = bytes};
  CHECK(vkCreateBuffer(machine->device, &info, NULL, &made.buffer));
  const VkImportMemoryHostPointerInfoEXT host = {
      .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
      .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
      .pHostPointer = bytes};
  made.memory = make_memory(machine, size, &host);
  CHECK(vkBindBufferMemory(machine->device, made.buffer, made.memory, 0));
  return made;
}

static VkSemaphore make_timeline(const Machine* machine) {
  const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                      .pNext = &type};
  VkSemaphore made;
  CHECK(vkCreateSemaphore(machine->device, &info, NULL, &made));
  return made;
}

static void submit_after(const Machine* machine, VkCommandBuffer commands, VkSemaphore line,
                         uint64_t value) {
  const uint64_t next = value + 1;
  const VkTimelineSemaphoreSubmitInfo values = {
      .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .waitSemaphoreValueCount = 1,
      .pWaitSemaphoreValues = &value,
      .signalSemaphoreValueCount = 1,
      .pSignalSemaphoreValues = &next};
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .pNext = &values,
                             .waitSemaphoreCount = 1,
                             .pWaitSemaphores = &line,
                             .pWaitDstStageMask = &stage,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &commands,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &line};
  CHECK(vkQueueSubmit(machine->queue, 1, &info, VK_NULL_HANDLE));
}

int main(void) {
  const char* const extensions[] = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
                                    VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
  const VkPhysicalDeviceVulkan12Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .timelineSemaphore = VK_TRUE};
  Machine machine = open_machine_with(
      &(Wanted){.extensions = extensions, .extension_count = 2, .features = &features});
  const VkExternalMemoryImageCreateInfo exported = {
      .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
      .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  const VkExportMemoryAllocateInfo exportable = {
      .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
      .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  const ImageWish wish = {.extent = {width, height, 1},
                          .format = VK_FORMAT_R8_UNORM,
                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                   VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                          .next = &exported,
                          .memory_next = &exportable};
  Image in[3], out[3];
  for (int i = 0; i < 3; ++i)
    in[i] = make_image(&machine, &wish), out[i] = make_image(&machine, &wish);
  VkSampler near = make_sampler(&machine, VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
  const VkSampler three[3] = {near, near, near};
  VkDescriptorSetLayoutBinding shapes[2] = {
      binding(0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3),
      binding(1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 3)};
  shapes[0].pImmutableSamplers = three;
  Kernel kernel = {.set_layout = make_set_layout(&machine, 2, shapes, 0)};
  kernel.layout = make_layout(&machine, 1, &kernel.set_layout, 8);
  kernel.pipeline = make_pipeline(&machine, SHADER(frames), kernel.layout, &(PipelineWish){0});
  VkDescriptorSet set = make_set(&machine, kernel.set_layout);
  const VkImageLayout readable = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
  for (uint32_t i = 0; i < 3; ++i) {
    write_image(&machine, set, 0, i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, in[i].view,
                readable, VK_NULL_HANDLE);
    write_image(&machine, set, 1, i, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, out[i].view, general,
                VK_NULL_HANDLE);
  }
  VkSemaphore line = make_timeline(&machine);
  uint64_t value = 0;
  for (uint32_t frame = 0; frame < frames_given; ++frame) {
    void* bytes = aligned_alloc(4096, frame_bytes);
    fill_scrambled(bytes, frame_bytes, frame + 1);
    Buffer host = import(&machine, bytes, frame_bytes);
    VkCommandBuffer upload = begin_once(&machine), filter = begin_once(&machine),
                    download = begin_once(&machine);
    for (uint32_t i = 0; i < 3; ++i) {
      change_layout(upload, &in[i], VK_IMAGE_LAYOUT_UNDEFINED,
                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
      const VkBufferImageCopy region = whole(&in[i], i * 4096);
      vkCmdCopyBufferToImage(upload, host.buffer, in[i].image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                             1, &region);
      change_layout(filter, &in[i], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, readable);
      change_layout(filter, &out[i], VK_IMAGE_LAYOUT_UNDEFINED, general);
    }
    use(filter, &kernel, set);
    push(filter, &kernel, 8, (float[]){(float)frame * 3, 5});
    vkCmdDispatch(filter, width / 8, height / 8, 1);
    for (uint32_t i = 0; i < 3; ++i) {
      change_layout(download, &out[i], general, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
      const VkBufferImageCopy region = whole(&out[i], i * 4096);
      vkCmdCopyImageToBuffer(download, out[i].image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                             host.buffer, 1, &region);
    }
    order_for_host(download);
    const VkCommandBuffer all[] = {upload, filter, download};
    for (int i = 0; i < 3; ++i) {
      CHECK(vkEndCommandBuffer(all[i]));
      submit_after(&machine, all[i], line, value++);
    }
    const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &line,
                                      .pValues = &value};
    CHECK(vkWaitSemaphores(machine.device, &wait, UINT64_MAX));
    digest("frame", bytes, frame_bytes);
    vkFreeCommandBuffers(machine.device, machine.commands, 3, all);
    free_buffer(&machine, &host);
    free(bytes);
  }
  vkDestroySemaphore(machine.device, line, NULL);
  vkDestroySampler(machine.device, near, NULL);
  free_kernel(&machine, &kernel);
  for (int i = 0; i < 3; ++i) free_image(&machine, &in[i]), free_image(&machine, &out[i]);
  close_machine(&machine);
  return 0;
}
