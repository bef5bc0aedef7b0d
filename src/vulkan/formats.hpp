// formats.hpp - formats of pixels as Vulkan numbers them, and as images of the library have them.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>

#include "reel/image.hpp"

namespace reel::vulkan {

struct PixelFormat {
  ChannelOrder order = ChannelOrder::unknown;
  ChannelType type = ChannelType::unknown;
  std::uint32_t pixel_bytes = 0;  // 0: not known, or no bytes of its own (blocks, planes)
};

// Formats that have no name there keep their number in both parts, marked by unknown_format.
// Packed formats that are the same bytes as an unpacked one get its name.
PixelFormat to_pixels(VkFormat format) noexcept;
// The other way: VK_FORMAT_UNDEFINED where Vulkan has none of that kind.
VkFormat to_format(ChannelOrder order, ChannelType type) noexcept;
inline VkFormat to_format(const ImageShape& shape) noexcept {
  return to_format(shape.channel_order, shape.channel_type);
}

// What a buffer of pixels can't be: compressed blocks, depth and stencil, several planes.
bool is_plain(VkFormat format) noexcept;

}  // namespace reel::vulkan
