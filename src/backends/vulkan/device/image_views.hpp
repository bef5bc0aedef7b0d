// image_views.hpp - what kernels are shown of a VkImage.
//
// One for each image of the library: all of a VkImage, or a part of one that another image of the
// library has made. The VkImage outlives it. Any thread.
#pragma once

#include <array>
#include <mutex>
#include <string_view>

#include "backends/vulkan/device/context.hpp"
#include "backends/vulkan/device/image.hpp"
#include "reel/image.hpp"

namespace reel::vulkan {

// Some of its levels and layers, or all, in its own or another format of pixels of the same size,
// its channels in any order.
class ImageViews {
 public:
  // `shape`: of what is shown. Throws unsupported where the device has no such view of it.
  ImageViews(Context& context, const VulkanImage& image, const ImageShape& shape,
             std::string_view label);
  ~ImageViews();
  ImageViews(const ImageViews&) = delete;
  ImageViews& operator=(const ImageViews&) = delete;

  bool can_be(VkDescriptorType type) const noexcept;
  // Can a shader that declares this kind of view be given it?
  bool can_show(VkImageViewType type) const noexcept;
  // Made when first asked for.
  VkImageView get(VkImageViewType type);

 private:
  Context& context_;
  const VkImage image_;
  const ImageShape shape_;
  const VkFormat format_;
  VkImageUsageFlags usage_ = 0;
  std::mutex mutex_;
  std::array<VkImageView, 7> views_{};  // by VkImageViewType
};

}  // namespace reel::vulkan
