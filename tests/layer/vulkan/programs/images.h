// images.h - images, their views and layouts, and how they get contents and give them back.
#ifndef REEL_TESTS_LAYER_VULKAN_IMAGES_H
#define REEL_TESTS_LAYER_VULKAN_IMAGES_H

#include "machine.h"

typedef struct Image {
  VkImage image;
  VkDeviceMemory memory;
  VkImageView view;
  VkExtent3D extent;
  uint32_t layers, levels;
  VkImageAspectFlags aspect;
} Image;

// What of an image isn't always the same; all but the extent and the format may be left out.
typedef struct ImageWish {
  VkExtent3D extent;
  VkFormat format;
  VkImageUsageFlags usage;
  VkImageType type;  // 1D is 0, and means 2D here
  uint32_t layers, levels;
  VkSampleCountFlagBits samples;
  VkImageTiling tiling;
  VkImageAspectFlags aspect;
  VkImageCreateFlags flags;
  VkImageLayout layout;  // that it begins in
  const void* next;
  const void* memory_next;
} ImageWish;

static inline VkImageView make_view(const Machine* machine, const Image* image,
                                    VkImageViewType type, VkFormat format, uint32_t layer,
                                    uint32_t layers) {
  const VkImageViewCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = image->image,
      .viewType = type,
      .format = format,
      .subresourceRange = {image->aspect, 0, image->levels, layer, layers}};
  VkImageView view;
  CHECK(vkCreateImageView(machine->device, &info, NULL, &view));
  return view;
}

static inline Image make_image(const Machine* machine, const ImageWish* wish) {
  Image made = {.extent = wish->extent,
                .layers = wish->layers ? wish->layers : 1,
                .levels = wish->levels ? wish->levels : 1,
                .aspect = wish->aspect ? wish->aspect : VK_IMAGE_ASPECT_COLOR_BIT};
  const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                  .pNext = wish->next,
                                  .flags = wish->flags,
                                  .imageType = wish->type ? wish->type : VK_IMAGE_TYPE_2D,
                                  .format = wish->format,
                                  .extent = wish->extent,
                                  .mipLevels = made.levels,
                                  .arrayLayers = made.layers,
                                  .samples = wish->samples ? wish->samples : VK_SAMPLE_COUNT_1_BIT,
                                  .tiling = wish->tiling,
                                  .usage = wish->usage,
                                  .initialLayout = wish->layout};
  CHECK(vkCreateImage(machine->device, &info, NULL, &made.image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(machine->device, made.image, &needs);
  made.memory = make_memory(machine, needs.size, wish->memory_next);
  CHECK(vkBindImageMemory(machine->device, made.image, made.memory, 0));
  const VkImageUsageFlags viewed = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                   VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  if (wish->usage & viewed)
    made.view = make_view(machine, &made,
                          wish->type == VK_IMAGE_TYPE_3D ? VK_IMAGE_VIEW_TYPE_3D
                          : made.layers > 1              ? VK_IMAGE_VIEW_TYPE_2D_ARRAY
                                                         : VK_IMAGE_VIEW_TYPE_2D,
                          wish->format, 0, made.layers);
  return made;
}

static inline Image make_flat(const Machine* machine, VkExtent3D extent, VkFormat format,
                              VkImageUsageFlags usage) {
  return make_image(machine, &(ImageWish){.extent = extent, .format = format, .usage = usage});
}

static inline void free_image(const Machine* machine, Image* image) {
  vkDestroyImageView(machine->device, image->view, NULL);
  vkDestroyImage(machine->device, image->image, NULL);
  vkFreeMemory(machine->device, image->memory, NULL);
}

// From one layout to another, everything before it with everything after it; some of its levels and
// layers.
static inline void change_part(VkCommandBuffer commands, const Image* image,
                               VkImageSubresourceRange part, VkImageLayout from, VkImageLayout to) {
  const VkImageMemoryBarrier info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .oldLayout = from,
      .newLayout = to,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = image->image,
      .subresourceRange = part};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &info);
}

static inline void change_layout(VkCommandBuffer commands, const Image* image, VkImageLayout from,
                                 VkImageLayout to) {
  const VkImageSubresourceRange all = {image->aspect, 0, image->levels, 0, image->layers};
  change_part(commands, image, all, from, to);
}

static inline VkBufferImageCopy whole(const Image* image, VkDeviceSize at) {
  return (VkBufferImageCopy){.bufferOffset = at,
                             .imageSubresource = {image->aspect, 0, 0, image->layers},
                             .imageExtent = image->extent};
}

static inline Buffer make_staging(const Machine* machine, VkDeviceSize size, uint32_t seed) {
  Buffer made = make_buffer(machine, size,
                            VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  fill_scrambled(made.bytes, size, seed);
  return made;
}

static inline void write_image(const Machine* machine, VkDescriptorSet set, uint32_t at,
                               uint32_t element, VkDescriptorType type, VkImageView view,
                               VkImageLayout layout, VkSampler sampler) {
  const VkDescriptorImageInfo info = {sampler, view, layout};
  const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .dstBinding = at,
                                      .dstArrayElement = element,
                                      .descriptorCount = 1,
                                      .descriptorType = type,
                                      .pImageInfo = &info};
  vkUpdateDescriptorSets(machine->device, 1, &write, 0, NULL);
}

static inline VkSampler make_sampler(const Machine* machine, VkFilter filter,
                                     VkSamplerAddressMode edge) {
  const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                    .magFilter = filter,
                                    .minFilter = filter,
                                    .addressModeU = edge,
                                    .addressModeV = edge,
                                    .addressModeW = edge,
                                    .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
  VkSampler sampler;
  CHECK(vkCreateSampler(machine->device, &info, NULL, &sampler));
  return sampler;
}

#endif
