// image.hpp - a VkImage and its memory.
//
// Always in VK_IMAGE_LAYOUT_GENERAL, so that whoever uses it needs to know
// nothing of who did before. Its bytes, as the library counts them, are its
// pixels without padding, level after level; a range of them is a few boxes of
// the image. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/vulkan/device/context.hpp"
#include "reel/image.hpp"

namespace reel::vulkan {

class VulkanImage {
 public:
  // Zeroed. Throws unsupported for what this device has no such image of, with
  // the label.
  VulkanImage(Context& context, const ImageShape& shape, std::string_view label);
  ~VulkanImage();
  VulkanImage(const VulkanImage&) = delete;
  VulkanImage& operator=(const VulkanImage&) = delete;

  VkImage handle() const noexcept { return handle_; }
  const ImageShape& shape() const noexcept { return shape_; }
  VkImageUsageFlags usage() const noexcept { return usage_; }

  // The boxes that hold its bytes [offset, offset + size), whole pixels, in the
  // order of bytes; `buffer_offset`: where the first of them is in a buffer.
  std::vector<VkBufferImageCopy> boxes(std::uint64_t offset, std::uint64_t size,
                                       std::uint64_t buffer_offset) const;

 private:
  // Those of one level, of its bytes from `offset` on.
  void add_boxes(std::vector<VkBufferImageCopy>& list, std::uint32_t level, std::uint64_t offset,
                 std::uint64_t size, std::uint64_t buffer_offset) const;
  void create(std::string_view label);
  void clear();
  void destroy() noexcept;

  Context& context_;
  const ImageShape shape_;
  VkFormat format_ = VK_FORMAT_UNDEFINED;
  VkImageUsageFlags usage_ = 0;
  VkImage handle_ = VK_NULL_HANDLE;
  Memory memory_;
};

}  // namespace reel::vulkan
