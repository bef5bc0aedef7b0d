// image.hpp - images, views, samplers and framebuffers of the program.
//
// The pixels of an image are a Storage of their own: level 0 of all layers, row after row with
// nothing between, whatever the driver makes of them. Images that are more than that (several
// levels or samples, blocks, depth, planes) are known, and what uses them isn't replayed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "layers/vulkan/device.hpp"
#include "layers/vulkan/objects/memory.hpp"
#include "reel/image.hpp"

namespace reel::layer::vk {

struct Image final : Object {
  VkImage handle = VK_NULL_HANDLE;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkImageType type{};
  std::uint32_t levels = 1;
  std::shared_ptr<Storage> storage;
};

struct ImageView final : Object {
  VkImage image = VK_NULL_HANDLE;
  const char* why_not = nullptr;  // it shows something else than the whole image as it is
};

struct Sampler final : Object {
  std::vector<std::byte> value;  // as documents have it; empty: it has something they don't keep
};

struct Framebuffer final : Object {
  std::vector<VkImageView> views;
};

// What a region of an image is in its pixels: rows of bytes.
struct PixelBox {
  std::uint64_t offset_bytes, row_bytes, rows, slices, row_pitch, slice_pitch;
};
PixelBox box_of(const Storage& image, const VkImageSubresourceLayers& where, VkOffset3D offset,
                VkExtent3D extent);

}  // namespace reel::layer::vk
