// blits.c - what is more than bytes: blits that scale and change the format, a multisampled image
// that is cleared and resolved, levels, a depth image; kernels read what they leave.
#include "image_store.h"
#include "images.h"

enum { width = 32, height = 32, bytes = width * height * 4 };

int main(void) {
  Machine machine = open_machine();
  const VkExtent3D flat = {width, height, 1}, small = {width / 2, height / 2, 1};
  const VkImageUsageFlags transfers =
      VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  Image from = make_flat(&machine, small, VK_FORMAT_R8G8B8A8_UNORM, transfers);
  Image scaled =
      make_flat(&machine, flat, VK_FORMAT_R8G8B8A8_UNORM, transfers | VK_IMAGE_USAGE_STORAGE_BIT);
  Image to = make_flat(&machine, flat, VK_FORMAT_R32_UINT, transfers | VK_IMAGE_USAGE_STORAGE_BIT);
  Image many =
      make_image(&machine, &(ImageWish){.extent = flat,
                                        .format = VK_FORMAT_R8G8B8A8_UNORM,
                                        .usage = transfers | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                        .samples = VK_SAMPLE_COUNT_4_BIT});
  Image levels = make_image(&machine, &(ImageWish){.extent = flat,
                                                   .format = VK_FORMAT_R8G8B8A8_UNORM,
                                                   .usage = transfers | VK_IMAGE_USAGE_SAMPLED_BIT,
                                                   .levels = 4});
  Image depth = make_image(&machine, &(ImageWish){.extent = flat,
                                                  .format = VK_FORMAT_D32_SFLOAT,
                                                  .usage = transfers | VK_IMAGE_USAGE_SAMPLED_BIT,
                                                  .aspect = VK_IMAGE_ASPECT_DEPTH_BIT});
  Buffer staging = make_staging(&machine, 4 * bytes, 1);
  const VkDescriptorSetLayoutBinding shapes[2] = {binding(0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1),
                                                  binding(1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1)};
  Kernel kernel = {.set_layout = make_set_layout(&machine, 2, shapes, 0)};
  kernel.layout = make_layout(&machine, 1, &kernel.set_layout, 4);
  kernel.pipeline = make_pipeline(&machine, SHADER(image_store), kernel.layout, &(PipelineWish){0});
  const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
  VkDescriptorSet set = make_set(&machine, kernel.set_layout);
  write_image(&machine, set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, scaled.view, general,
              VK_NULL_HANDLE);
  write_image(&machine, set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, to.view, general,
              VK_NULL_HANDLE);
  VkCommandBuffer commands = begin_once(&machine);
  Image* const all[] = {&from, &scaled, &to, &many, &levels, &depth};
  for (int i = 0; i < 6; ++i) change_layout(commands, all[i], VK_IMAGE_LAYOUT_UNDEFINED, general);
  VkBufferImageCopy region = whole(&from, 0);
  vkCmdCopyBufferToImage(commands, staging.buffer, from.image, general, 1, &region);
  order_all(commands);
  const VkImageSubresourceLayers color = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  const VkImageBlit bigger = {.srcSubresource = color,
                              .srcOffsets = {{0, 0, 0}, {width / 2, height / 2, 1}},
                              .dstSubresource = color,
                              .dstOffsets = {{0, 0, 0}, {width, height, 1}}};
  vkCmdBlitImage(commands, from.image, general, scaled.image, general, 1, &bigger,
                 VK_FILTER_NEAREST);
  order_all(commands);
  for (uint32_t level = 0; level < 4; ++level) {
    VkImageBlit smaller = bigger;
    smaller.dstSubresource.mipLevel = level;
    smaller.dstOffsets[1] = (VkOffset3D){width >> level, height >> level, 1};
    vkCmdBlitImage(commands, from.image, general, levels.image, general, 1, &smaller,
                   VK_FILTER_NEAREST);
  }
  const VkClearColorValue green = {.float32 = {0.25f, 1, 0.5f, 1}};
  const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  const VkImageSubresourceRange depths = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(commands, many.image, general, &green, 1, &range);
  const VkClearDepthStencilValue far = {0.75f, 0};
  vkCmdClearDepthStencilImage(commands, depth.image, general, &far, 1, &depths);
  order_all(commands);
  const VkImageResolve resolve = {.srcSubresource = color,
                                  .dstSubresource = color,
                                  .dstOffset = {8, 4, 0},
                                  .extent = {16, 8, 1}};
  vkCmdResolveImage(commands, many.image, general, scaled.image, general, 1, &resolve);
  order_all(commands);
  const uint32_t salt = 77;
  use(commands, &kernel, set);
  push(commands, &kernel, 4, &salt);
  vkCmdDispatch(commands, width / 8, height / 8, 1);
  order_all(commands);
  region = whole(&to, 0);
  vkCmdCopyImageToBuffer(commands, to.image, general, staging.buffer, 1, &region);
  region = whole(&levels, bytes);
  region.imageSubresource.mipLevel = 2;
  region.imageExtent = (VkExtent3D){width >> 2, height >> 2, 1};
  vkCmdCopyImageToBuffer(commands, levels.image, general, staging.buffer, 1, &region);
  region = whole(&depth, 2 * bytes);
  vkCmdCopyImageToBuffer(commands, depth.image, general, staging.buffer, 1, &region);
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest_buffer("staging", &staging);
  free_kernel(&machine, &kernel);
  for (int i = 0; i < 6; ++i) free_image(&machine, all[i]);
  free_buffer(&machine, &staging);
  close_machine(&machine);
  return 0;
}
