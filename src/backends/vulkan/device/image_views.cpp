#include "backends/vulkan/device/image_views.hpp"

#include "backends/vulkan/device/result.hpp"
#include "base/fail.hpp"
#include "vulkan/formats.hpp"

namespace reel::vulkan {

ImageViews::ImageViews(Context& context, const VulkanImage& image, const ImageShape& shape,
                       std::string_view label)
    : context_(context), image_(image.handle()), shape_(shape), format_(to_format(shape)) {
  VkFormatProperties properties{};
  if (format_ != VK_FORMAT_UNDEFINED)
    vkGetPhysicalDeviceFormatProperties(context.physical.handle, format_, &properties);
  if (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)
    usage_ |= VK_IMAGE_USAGE_SAMPLED_BIT;
  if (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT)
    usage_ |= VK_IMAGE_USAGE_STORAGE_BIT;
  usage_ &= image.usage();
  if (!usage_)
    fail(Code::unsupported, "Image '{}' can't be made: '{}' has no {} images of {}.", label,
         context.physical.info.name, to_string(shape.type), format_name(shape));
}

ImageViews::~ImageViews() {
  for (VkImageView view : views_) context_.vk.vkDestroyImageView(context_.device, view, nullptr);
}

bool ImageViews::can_be(VkDescriptorType type) const noexcept {
  return type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ? usage_ & VK_IMAGE_USAGE_STORAGE_BIT
                                                  : usage_ & VK_IMAGE_USAGE_SAMPLED_BIT;
}

bool ImageViews::can_show(VkImageViewType type) const noexcept {
  switch (type) {
    case VK_IMAGE_VIEW_TYPE_1D:
      return shape_.type == ImageType::d1;
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
      return shape_.type == ImageType::d1 || shape_.type == ImageType::d1_array;
    case VK_IMAGE_VIEW_TYPE_2D:
      return shape_.type == ImageType::d2 ||
             (shape_.type == ImageType::d2_array && shape_.layers == 1);
    case VK_IMAGE_VIEW_TYPE_2D_ARRAY:
      return shape_.type == ImageType::d2 || shape_.type == ImageType::d2_array;
    case VK_IMAGE_VIEW_TYPE_3D:
      return shape_.type == ImageType::d3;
    case VK_IMAGE_VIEW_TYPE_CUBE:
      return shape_.type == ImageType::d2_array && shape_.layers == 6 &&
             shape_.width == shape_.height;
    case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
      return shape_.type == ImageType::d2_array && shape_.layers % 6 == 0 &&
             shape_.width == shape_.height;
    default:
      return false;
  }
}

namespace {

VkComponentSwizzle swizzle_of(const ImageShape& shape, unsigned channel) {
  // Both count alike: itself, zero, one, R, G, B, A.
  return static_cast<VkComponentSwizzle>(shape.swizzle >> (4 * channel) & 15);
}

}  // namespace

VkImageView ImageViews::get(VkImageViewType type) {
  const std::lock_guard lock(mutex_);
  VkImageView& view = views_[static_cast<std::size_t>(type)];
  if (view) return view;
  // The image itself may be used in ways that this format can't.
  VkImageViewUsageCreateInfo usage{};
  usage.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO;
  usage.usage = usage_;
  // No shader writes to several levels, or to channels in another order.
  if (shape_.levels > 1 || shape_.swizzle)
    usage.usage &= ~VkImageUsageFlags{VK_IMAGE_USAGE_STORAGE_BIT};
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.pNext = &usage;
  info.image = image_;
  info.viewType = type;
  info.format = format_;
  info.components = {swizzle_of(shape_, 0), swizzle_of(shape_, 1), swizzle_of(shape_, 2),
                     swizzle_of(shape_, 3)};
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, shape_.first_level, shape_.levels,
                           shape_.first_layer, static_cast<std::uint32_t>(shape_.layers)};
  check(context_.vk.vkCreateImageView(context_.device, &info, nullptr, &view), "vkCreateImageView");
  return view;
}

}  // namespace reel::vulkan
