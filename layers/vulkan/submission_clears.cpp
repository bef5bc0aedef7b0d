// submission_clears.cpp - the part of a SubmissionReader that has clears of images: what pixels
// they write.
#include <cstring>

#include "layers/vulkan/submission.hpp"

namespace reel::layer::vk {

using capture::CallWork;
using capture::Range;

namespace {

// A whole number of so many bits.
void append(std::vector<std::byte>& pixel, std::uint32_t value, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < bytes; ++i)
    pixel.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

// The pixel that a clear writes; empty: nobody here can tell what the device makes of the colour.
std::vector<std::byte> pixel_of(const ImageShape& shape, const VkClearColorValue& color) {
  std::vector<std::uint32_t> channels;  // of the colour
  switch (shape.channel_order) {
    case ChannelOrder::r:
      channels = {0};
      break;
    case ChannelOrder::rg:
      channels = {0, 1};
      break;
    case ChannelOrder::rgba:
      channels = {0, 1, 2, 3};
      break;
    case ChannelOrder::bgra:
      channels = {2, 1, 0, 3};
      break;
    default:
      return {};
  }
  std::vector<std::byte> pixel;
  for (const std::uint32_t i : channels) switch (shape.channel_type) {
      case ChannelType::float32:
      case ChannelType::int32:
      case ChannelType::uint32:
        append(pixel, color.uint32[i], 4);
        break;
      case ChannelType::uint16:
      case ChannelType::int16:
        append(pixel, color.uint32[i], 2);
        break;
      case ChannelType::uint8:
      case ChannelType::int8:
        append(pixel, color.uint32[i], 1);
        break;
      case ChannelType::unorm8:
        // Only what no rounding can change.
        if (color.float32[i] != 0 && color.float32[i] != 1) return {};
        append(pixel, color.float32[i] != 0 ? 0xff : 0, 1);
        break;
      default:
        return {};
    }
  return pixel;
}

}  // namespace

bool is_known_clear(const Device& device, VkImage handle, const VkClearColorValue& color) {
  const Image* image = device.images.find(handle);
  bool is_known = true;
  if (image && !image->storage->is_strange)
    quietly([&] { is_known = !pixel_of(*image->storage->image, color).empty(); });
  return is_known;
}

void SubmissionReader::clear(const ClearImageOp& op) {
  const Image* image = device_.images.find(op.image);
  if (!image || !image->storage) return;
  Storage& storage = *image->storage;
  const auto ranges = list_behind<VkImageSubresourceRange>(&op, op.count);
  const std::vector<std::byte> pixel = op.is_depth || storage.is_strange
                                           ? std::vector<std::byte>()
                                           : pixel_of(*storage.image, op.color);
  if (pixel.size() != storage.image->pixel_bytes)
    return add_whole(opaque("vkCmdClearColorImage",
                            "it clears an image whose pixels are not known from the colour"),
                     op.image, Access::read_write);
  auto& one = add(now_, WorkKind::write, "vkCmdClearColorImage");
  const bool is_fill = pixel.size() <= sizeof one.work.row.pattern;
  if (is_fill) {
    one.work.row.kind = WorkKind::fill;
    one.work.row.pattern_bytes = static_cast<std::uint32_t>(pixel.size());
    std::memcpy(&one.work.row.pattern, pixel.data(), pixel.size());
  }
  for (const VkImageSubresourceRange& range : ranges) {
    VkImageSubresourceRange part = in_numbers(storage, range);
    const std::uint32_t end = part.baseMipLevel + part.levelCount;
    part.levelCount = 1;
    for (; part.baseMipLevel < end; ++part.baseMipLevel) {
      const Range bytes = bytes_of(storage, part);
      add_range(one.work, bytes, Access::write);
      if (is_fill) continue;
      for (std::uint64_t at = 0; at < bytes.size_bytes; at += pixel.size())
        one.data.insert(one.data.end(), pixel.begin(), pixel.end());
    }
  }
}

}  // namespace reel::layer::vk
