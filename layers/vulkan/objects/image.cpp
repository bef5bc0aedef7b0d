#include "layers/vulkan/objects/image.hpp"

namespace reel::layer::vk {

PixelBox box_of(const Storage& image, const VkImageSubresourceLayers& where, VkOffset3D offset,
                VkExtent3D extent) {
  const ImageShape& shape = *image.image;
  const std::uint64_t pixel = shape.pixel_bytes;
  PixelBox box{};
  box.row_pitch = shape.width * pixel;
  box.slice_pitch = box.row_pitch * shape.height;
  // Slices of a volume and layers of an array follow each other alike.
  const std::uint64_t first =
      image.extent.depth > 1 ? static_cast<std::uint64_t>(offset.z) : where.baseArrayLayer;
  const std::uint32_t layers = where.layerCount == VK_REMAINING_ARRAY_LAYERS
                                   ? image.layers - where.baseArrayLayer
                                   : where.layerCount;
  box.slices = image.extent.depth > 1 ? extent.depth : layers;
  box.rows = extent.height;
  box.row_bytes = extent.width * pixel;
  box.offset_bytes = first * box.slice_pitch +
                     static_cast<std::uint64_t>(offset.y) * box.row_pitch +
                     static_cast<std::uint64_t>(offset.x) * pixel;
  return box;
}

}  // namespace reel::layer::vk
