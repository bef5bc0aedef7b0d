// storage_images.c - storage images: optimal and linear ones, volumes and layers, read and written
// by kernels, filled by copies, cleared, and copied among each other.
#include "image_layers.h"
#include "image_stir.h"
#include "image_store.h"
#include "images.h"

enum { width = 40, height = 24, bytes = width * height * 4 };

int main(void) {
  Machine machine = open_machine();
  const VkExtent3D flat = {width, height, 1}, deep = {8, 8, 4}, square = {8, 8, 1};
  const VkImageUsageFlags usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                  VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  Image from = make_flat(&machine, flat, VK_FORMAT_R8G8B8A8_UNORM, usage);
  Image to = make_flat(&machine, flat, VK_FORMAT_R32_UINT, usage);
  Image lines = make_image(&machine, &(ImageWish){.extent = flat,
                                                  .format = VK_FORMAT_R32_UINT,
                                                  .usage = usage,
                                                  .tiling = VK_IMAGE_TILING_LINEAR});
  Image volume = make_image(
      &machine,
      &(ImageWish){
          .extent = deep, .format = VK_FORMAT_R32_UINT, .usage = usage, .type = VK_IMAGE_TYPE_3D});
  Image layers = make_image(
      &machine,
      &(ImageWish){.extent = square, .format = VK_FORMAT_R32_UINT, .usage = usage, .layers = 4});
  Buffer staging = make_staging(&machine, 4 * bytes, 1);
  const VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  const VkDescriptorSetLayoutBinding shapes[2] = {binding(0, storage, 1), binding(1, storage, 1)};
  Kernel store = {.set_layout = make_set_layout(&machine, 2, shapes, 0)};
  store.layout = make_layout(&machine, 1, &store.set_layout, 4);
  store.pipeline = make_pipeline(&machine, SHADER(image_store), store.layout, &(PipelineWish){0});
  VkPipeline layered =
      make_pipeline(&machine, SHADER(image_layers), store.layout, &(PipelineWish){0});
  Kernel stir = {.set_layout = make_set_layout(&machine, 1, shapes, 0)};
  stir.layout = make_layout(&machine, 1, &stir.set_layout, 4);
  stir.pipeline = make_pipeline(&machine, SHADER(image_stir), stir.layout, &(PipelineWish){0});
  const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
  VkDescriptorSet pair = make_set(&machine, store.set_layout),
                  deep_pair = make_set(&machine, store.set_layout);
  write_image(&machine, pair, 0, 0, storage, from.view, general, VK_NULL_HANDLE);
  write_image(&machine, pair, 1, 0, storage, to.view, general, VK_NULL_HANDLE);
  write_image(&machine, deep_pair, 0, 0, storage, volume.view, general, VK_NULL_HANDLE);
  write_image(&machine, deep_pair, 1, 0, storage, layers.view, general, VK_NULL_HANDLE);
  VkDescriptorSet alone = make_set(&machine, stir.set_layout),
                  rows = make_set(&machine, stir.set_layout);
  write_image(&machine, alone, 0, 0, storage, to.view, general, VK_NULL_HANDLE);
  write_image(&machine, rows, 0, 0, storage, lines.view, general, VK_NULL_HANDLE);

  VkCommandBuffer commands = begin_once(&machine);
  Image* const all[] = {&from, &to, &lines, &volume, &layers};
  for (int i = 0; i < 5; ++i)
    change_layout(commands, all[i], VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  const VkBufferImageCopy regions[] = {whole(&from, 0), whole(&volume, 256), whole(&layers, 4096)};
  vkCmdCopyBufferToImage(commands, staging.buffer, from.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         1, &regions[0]);
  vkCmdCopyBufferToImage(commands, staging.buffer, volume.image,
                         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &regions[1]);
  vkCmdCopyBufferToImage(commands, staging.buffer, layers.image,
                         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &regions[2]);
  const VkClearColorValue color = {.uint32 = {0x12345678}};
  const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(commands, lines.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1,
                       &range);
  vkCmdClearColorImage(commands, to.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &range);
  for (int i = 0; i < 5; ++i)
    change_layout(commands, all[i], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, general);
  const uint32_t salt = 0x0f0f0f0f;
  use(commands, &store, pair);
  push(commands, &store, 4, &salt);
  vkCmdDispatch(commands, width / 8, height / 8, 1);
  order_all(commands);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layered);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, store.layout, 0, 1, &deep_pair,
                          0, NULL);
  vkCmdDispatch(commands, 2, 2, 4);
  order_all(commands);
  use(commands, &stir, alone);
  push(commands, &stir, 4, &salt);
  vkCmdDispatch(commands, width / 8, height / 8, 1);
  order_all(commands);
  // A part of one into another, then stirred.
  const VkImageCopy part = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                            .srcOffset = {3, 5, 0},
                            .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                            .dstOffset = {10, 2, 0},
                            .extent = {17, 9, 1}};
  vkCmdCopyImage(commands, to.image, general, lines.image, general, 1, &part);
  order_all(commands);
  use(commands, &stir, rows);
  vkCmdDispatch(commands, width / 8, height / 8, 1);
  order_all(commands);
  VkBufferImageCopy out = whole(&to, 0);
  out.bufferRowLength = width + 8;  // with a pitch
  vkCmdCopyImageToBuffer(commands, to.image, general, staging.buffer, 1, &out);
  out = whole(&lines, 2 * bytes);
  vkCmdCopyImageToBuffer(commands, lines.image, general, staging.buffer, 1, &out);
  out = whole(&layers, 3 * bytes);
  vkCmdCopyImageToBuffer(commands, layers.image, general, staging.buffer, 1, &out);
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest_buffer("staging", &staging);
  vkDestroyPipeline(machine.device, layered, NULL);
  FREE_KERNELS(&machine, &store, &stir);
  for (int i = 0; i < 5; ++i) free_image(&machine, all[i]);
  free_buffer(&machine, &staging);
  close_machine(&machine);
  return 0;
}
