#include "backends/vulkan/device/image.hpp"

#include <algorithm>

#include "backends/vulkan/device/result.hpp"
#include "base/fail.hpp"
#include "vulkan/formats.hpp"

namespace reel::vulkan {
namespace {

VkImageType type_of(ImageType type) {
  switch (type) {
    case ImageType::d1:
    case ImageType::d1_buffer:
    case ImageType::d1_array:
      return VK_IMAGE_TYPE_1D;
    case ImageType::d2:
    case ImageType::d2_array:
      return VK_IMAGE_TYPE_2D;
    case ImageType::d3:
      break;
  }
  return VK_IMAGE_TYPE_3D;
}

VkImageSubresourceRange all_of(const ImageShape& shape) {
  return {VK_IMAGE_ASPECT_COLOR_BIT, 0, shape.levels, 0, static_cast<std::uint32_t>(shape.layers)};
}

}  // namespace

VulkanImage::VulkanImage(Context& context, const ImageShape& shape, std::string_view label)
    : context_(context), shape_(shape) {
  if (shape.samples > 1)
    fail(Code::unsupported, "Image '{}' has {} samples a pixel; images of one can be made here.",
         label, shape.samples);
  format_ = to_format(shape);
  if (format_ == VK_FORMAT_UNDEFINED || !is_plain(format_))
    fail(Code::unsupported, "Image '{}' is {}, which Vulkan has no plain format for.", label,
         format_name(shape));
  if (to_pixels(format_).pixel_bytes != shape.pixel_bytes)
    fail(Code::unsupported, "Image '{}' ({}) has {} bytes a pixel, where Vulkan has {}.", label,
         format_name(shape), shape.pixel_bytes, to_pixels(format_).pixel_bytes);
  try {
    create(label);
    clear();
  } catch (...) {
    destroy();
    throw;
  }
}

VulkanImage::~VulkanImage() { destroy(); }

void VulkanImage::destroy() noexcept {
  context_.vk.vkDestroyImage(context_.device, handle_, nullptr);
  context_.memory->free(memory_);
}

void VulkanImage::create(std::string_view label) {
  const VkPhysicalDevice physical = context_.physical.handle;
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = type_of(shape_.type);
  info.format = format_;
  info.mipLevels = shape_.levels;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  if (shape_.type == ImageType::d2_array && shape_.layers % 6 == 0 && shape_.width == shape_.height)
    info.flags |= VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  const VkImageCreateFlags own_flags = info.flags;

  // Views in other formats may allow what its own doesn't. Else what its own does.
  VkImageFormatProperties most{};
  const auto is_there = [&](VkImageUsageFlags usage, VkImageCreateFlags flags) {
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | usage;
    info.flags = own_flags | flags;
    return vkGetPhysicalDeviceImageFormatProperties(physical, format_, info.imageType, info.tiling,
                                                    info.usage, info.flags, &most) == VK_SUCCESS;
  };
  constexpr VkImageUsageFlags sampled = VK_IMAGE_USAGE_SAMPLED_BIT,
                              stored = VK_IMAGE_USAGE_STORAGE_BIT;
  constexpr VkImageCreateFlags any_format =
      VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
  if (!is_there(sampled | stored, any_format) && !is_there(sampled | stored, 0) &&
      !is_there(sampled, 0) && !is_there(stored, 0))
    fail(Code::unsupported, "Image '{}' can't be made: '{}' has no {} images of {}.", label,
         context_.physical.info.name, to_string(shape_.type), format_name(shape_));
  if (shape_.width > most.maxExtent.width || shape_.height > most.maxExtent.height ||
      shape_.depth > most.maxExtent.depth || shape_.layers > most.maxArrayLayers ||
      shape_.levels > most.maxMipLevels)
    fail(Code::unsupported,
         "Image '{}' of {} is too large: '{}' allows {} x {} x {}, {} layers, {} levels.", label,
         extent_text(shape_), context_.physical.info.name, most.maxExtent.width,
         most.maxExtent.height, most.maxExtent.depth, most.maxArrayLayers, most.maxMipLevels);
  usage_ = info.usage;
  info.extent = {static_cast<std::uint32_t>(shape_.width),
                 static_cast<std::uint32_t>(shape_.height),
                 static_cast<std::uint32_t>(shape_.depth)};
  info.arrayLayers = static_cast<std::uint32_t>(shape_.layers);
  check(context_.vk.vkCreateImage(context_.device, &info, nullptr, &handle_), "vkCreateImage");
  VkMemoryRequirements wanted{};
  context_.vk.vkGetImageMemoryRequirements(context_.device, handle_, &wanted);
  memory_ = context_.memory->allocate(wanted, MemoryUse::image);
  check(context_.vk.vkBindImageMemory(context_.device, handle_, memory_.handle, memory_.offset),
        "vkBindImageMemory");
}

void VulkanImage::clear() {
  context_.run_now([&](VkCommandBuffer commands) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = handle_;
    barrier.subresourceRange = all_of(shape_);
    const VolkDeviceTable& vk = context_.vk;
    vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                            VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1, &barrier);
    const VkClearColorValue zero{};
    const VkImageSubresourceRange range = all_of(shape_);
    vk.vkCmdClearColorImage(commands, handle_, VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &range);
    VkMemoryBarrier visible{};
    visible.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    visible.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    visible.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                            VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &visible, 0, nullptr, 0,
                            nullptr);
  });
}

std::vector<VkBufferImageCopy> VulkanImage::boxes(std::uint64_t offset, std::uint64_t size,
                                                  std::uint64_t buffer_offset) const {
  std::vector<VkBufferImageCopy> list;
  const std::uint64_t end = offset + size;
  for (std::uint32_t number = 0; number < shape_.levels; ++number) {
    const std::uint64_t first = shape_.level_offset(number), last = shape_.level_offset(number + 1);
    const std::uint64_t from = std::max(offset, first), to = std::min(end, last);
    if (from < to)
      add_boxes(list, number, from - first, to - from, buffer_offset + (from - offset));
  }
  return list;
}

void VulkanImage::add_boxes(std::vector<VkBufferImageCopy>& list, std::uint32_t number,
                            std::uint64_t offset, std::uint64_t size,
                            std::uint64_t buffer_offset) const {
  const ImageShape level = shape_.level(number);
  const std::uint64_t row = level.width, slice = row * level.height;
  std::uint64_t pixel = offset / level.pixel_bytes;
  const std::uint64_t end = pixel + size / level.pixel_bytes;
  while (pixel < end) {
    const std::uint64_t x = pixel % row, y = pixel / row % level.height, z = pixel / slice;
    const std::uint64_t left = end - pixel;
    // As much as is one box: whole slices, whole rows of one, or a part of a
    // row.
    std::uint64_t width = std::min(row - x, left), height = 1, depth = 1;
    if (x == 0 && left >= row) {
      height = std::min(level.height - y, left / row);
      if (y == 0 && left >= slice) depth = left / slice;
    }
    VkBufferImageCopy& box = list.emplace_back();
    box.bufferOffset = buffer_offset;
    const bool layers = level.type != ImageType::d3;
    box.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, number,
                            layers ? static_cast<std::uint32_t>(z) : 0,
                            layers ? static_cast<std::uint32_t>(depth) : 1};
    box.imageOffset = {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                       layers ? 0 : static_cast<std::int32_t>(z)};
    box.imageExtent = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height),
                       layers ? 1 : static_cast<std::uint32_t>(depth)};
    const std::uint64_t pixels = width * height * depth;
    pixel += pixels;
    buffer_offset += pixels * level.pixel_bytes;
  }
}

}  // namespace reel::vulkan
