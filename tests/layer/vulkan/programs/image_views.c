// image_views.c - levels of an array of images: filled by a copy and a clear, made smaller level by
// level through views of one level and layer, stirred in another format, and sampled in another
// order of channels; each level is in a layout of its own.
#include "image_halve.h"
#include "image_levels.h"
#include "image_stir.h"
#include "images.h"

enum { width = 32, layers = 3, levels = 4, bytes = width * width * layers * 4 };

static VkImageView view_of(const Machine* machine, const Image* image, VkImageViewType type,
                           VkFormat format, VkImageSubresourceRange part, VkComponentMapping map) {
  const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                      .image = image->image,
                                      .viewType = type,
                                      .format = format,
                                      .components = map,
                                      .subresourceRange = part};
  VkImageView view;
  CHECK(vkCreateImageView(machine->device, &info, NULL, &view));
  return view;
}

static VkImageSubresourceRange part_of(uint32_t level, uint32_t count, uint32_t layer,
                                       uint32_t layer_count) {
  return (VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, level, count, layer, layer_count};
}

int main(void) {
  Machine machine = open_machine();
  const VkFormat unorm = VK_FORMAT_R8G8B8A8_UNORM;
  const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL, nothing = VK_IMAGE_LAYOUT_UNDEFINED,
                      readable = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                      target = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  Image pyramid = make_image(
      &machine,
      &(ImageWish){.extent = {width, width, 1},
                   .format = unorm,
                   .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                            VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                   .layers = layers,
                   .levels = levels,
                   .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT});
  Buffer staging = make_staging(&machine, 2 * bytes, 1), to = make_storage(&machine, bytes, 2);
  const VkDescriptorType stored = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                         sampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  const VkDescriptorSetLayoutBinding pair[2] = {binding(0, stored, 1), binding(1, stored, 1)};
  Kernel halve = {.set_layout = make_set_layout(&machine, 2, pair, 0)};
  halve.layout = make_layout(&machine, 1, &halve.set_layout, 4);
  halve.pipeline = make_pipeline(&machine, SHADER(image_halve), halve.layout, &(PipelineWish){0});
  Kernel stir = {.set_layout = make_set_layout(&machine, 1, pair, 0)};
  stir.layout = make_layout(&machine, 1, &stir.set_layout, 4);
  stir.pipeline = make_pipeline(&machine, SHADER(image_stir), stir.layout, &(PipelineWish){0});
  const VkDescriptorSetLayoutBinding looked[2] = {binding(0, sampled, 1),
                                                  binding(1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1)};
  Kernel look = {.set_layout = make_set_layout(&machine, 2, looked, 0)};
  look.layout = make_layout(&machine, 1, &look.set_layout, 8);
  look.pipeline = make_pipeline(&machine, SHADER(image_levels), look.layout, &(PipelineWish){0});

  const VkComponentMapping plain = {0},
                           turned = {VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_IDENTITY,
                                     VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R};
  VkImageView views[levels], words, shown, last;
  for (uint32_t i = 0; i < levels; ++i)
    views[i] =
        view_of(&machine, &pyramid, VK_IMAGE_VIEW_TYPE_2D, unorm, part_of(i, 1, 1, 1), plain);
  words = view_of(&machine, &pyramid, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT,
                  part_of(1, 1, 2, 1), plain);
  shown = view_of(&machine, &pyramid, VK_IMAGE_VIEW_TYPE_2D_ARRAY, unorm,
                  part_of(0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS), turned);
  last =
      view_of(&machine, &pyramid, VK_IMAGE_VIEW_TYPE_2D_ARRAY, unorm, part_of(2, 2, 1, 2), plain);
  VkSampler sampler =
      make_sampler(&machine, VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
  VkDescriptorSet halves[levels], words_set = make_set(&machine, stir.set_layout),
                                  all_set = make_set(&machine, look.set_layout),
                                  last_set = make_set(&machine, look.set_layout);
  for (uint32_t i = 1; i < levels; ++i) {
    halves[i] = make_set(&machine, halve.set_layout);
    write_image(&machine, halves[i], 0, 0, stored, views[i - 1], general, VK_NULL_HANDLE);
    write_image(&machine, halves[i], 1, 0, stored, views[i], general, VK_NULL_HANDLE);
  }
  write_image(&machine, words_set, 0, 0, stored, words, general, VK_NULL_HANDLE);
  write_image(&machine, all_set, 0, 0, sampled, shown, readable, sampler);
  write_storage(&machine, all_set, 1, &to);
  write_image(&machine, last_set, 0, 0, sampled, last, readable, sampler);
  write_storage(&machine, last_set, 1, &to);

  // Level 0 of all layers by a copy; the others are cleared.
  VkCommandBuffer commands = begin_once(&machine);
  change_part(commands, &pyramid, part_of(0, 1, 0, layers), nothing, target);
  change_part(commands, &pyramid, part_of(1, levels - 1, 0, layers), nothing, general);
  const VkBufferImageCopy region = whole(&pyramid, 0);
  vkCmdCopyBufferToImage(commands, staging.buffer, pyramid.image, target, 1, &region);
  const VkClearColorValue white = {.float32 = {1, 0, 1, 0}};
  const VkImageSubresourceRange rest = part_of(1, VK_REMAINING_MIP_LEVELS, 0, layers);
  vkCmdClearColorImage(commands, pyramid.image, general, &white, 1, &rest);
  // The layers of level 0 part here: one is written to by kernels later, two are only read.
  change_part(commands, &pyramid, part_of(0, 1, 1, 1), target, general);
  change_part(commands, &pyramid, part_of(0, 1, 0, 1), target, readable);
  order_all(commands);
  end_and_run(&machine, commands);

  commands = begin_once(&machine);
  use(commands, &halve, halves[1]);
  for (uint32_t i = 1; i < levels; ++i) {
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, halve.layout, 0, 1,
                            &halves[i], 0, NULL);
    push(commands, &halve, 4, &i);
    vkCmdDispatch(commands, 2, 2, 1);
    order_all(commands);
  }
  const uint32_t salt = 9;
  use(commands, &stir, words_set);
  push(commands, &stir, 4, &salt);
  vkCmdDispatch(commands, 2, 2, 1);
  order_all(commands);
  // From a level of one layer to that of another, and back to a buffer.
  const VkImageCopy part = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 1, 2, 1},
                            .srcOffset = {3, 5, 0},
                            .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 2, 2, 1},
                            .dstOffset = {1, 2, 0},
                            .extent = {6, 5, 1}};
  vkCmdCopyImage(commands, pyramid.image, general, pyramid.image, general, 1, &part);
  const VkImageBlit same = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 1},
                            .srcOffsets = {{0, 0, 0}, {4, 4, 1}},
                            .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 3, 2, 1},
                            .dstOffsets = {{0, 0, 0}, {4, 4, 1}}};
  order_all(commands);
  vkCmdBlitImage(commands, pyramid.image, general, pyramid.image, general, 1, &same,
                 VK_FILTER_NEAREST);
  VkBufferImageCopy back = whole(&pyramid, bytes);
  back.imageSubresource.mipLevel = 2;
  back.imageExtent = (VkExtent3D){width >> 2, width >> 2, 1};
  order_all(commands);
  vkCmdCopyImageToBuffer(commands, pyramid.image, general, staging.buffer, 1, &back);
  change_part(commands, &pyramid, part_of(0, 1, 1, 1), general, readable);
  change_part(commands, &pyramid, part_of(0, 1, 2, 1), target, readable);
  change_part(commands, &pyramid, part_of(1, levels - 1, 0, layers), general, readable);
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest_buffer("staging", &staging);

  commands = begin_once(&machine);
  use(commands, &look, all_set);
  for (uint32_t level = 0; level < levels; ++level) {
    push_two(commands, &look, width, level);
    vkCmdDispatch(commands, 4, 4, layers);
    order_all(commands);
  }
  use(commands, &look, last_set);
  push_two(commands, &look, width, 1);
  vkCmdDispatch(commands, 4, 4, layers);
  order_for_host(commands);
  end_and_run(&machine, commands);
  digest_buffer("to", &to);
  for (uint32_t i = 0; i < levels; ++i) vkDestroyImageView(machine.device, views[i], NULL);
  vkDestroyImageView(machine.device, words, NULL);
  vkDestroyImageView(machine.device, shown, NULL);
  vkDestroyImageView(machine.device, last, NULL);
  vkDestroySampler(machine.device, sampler, NULL);
  free_kernel(&machine, &halve);
  free_kernel(&machine, &stir);
  free_kernel(&machine, &look);
  free_image(&machine, &pyramid);
  free_buffer(&machine, &staging);
  free_buffer(&machine, &to);
  close_machine(&machine);
  return 0;
}
