// image.hpp - images, views, samplers, framebuffers and render passes of the program.
//
// The pixels of an image are a Storage of their own: level after level, in each layer after layer
// and row after row with nothing between, whatever the driver makes of them. Images that are more
// than that (several samples, blocks, depth, planes) are known, and what uses them isn't replayed.
// A view of a part of an image, or of all of it in another format or order of channels, is a row of
// documents by itself, on a range of those bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "layers/vulkan/device.hpp"
#include "layers/vulkan/objects/memory.hpp"
#include "recording/contents/byte_source.hpp"
#include "reel/image.hpp"

namespace reel::layer::vk {

struct Image final : Object {
  VkImage handle = VK_NULL_HANDLE;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkImageType type{};
  std::shared_ptr<Storage> storage;
};

struct ImageView final : Object {
  VkImage image = VK_NULL_HANDLE;
  const char* why_not = nullptr;    // nobody can show the same again
  VkImageSubresourceRange range{};  // what it shows, in numbers
  std::shared_ptr<Storage> row;     // null: the image as it is
};

struct Sampler final : Object {
  std::vector<std::byte> value;  // as documents have it; empty: it has something they don't keep
};

struct Framebuffer final : Object {
  std::vector<VkImageView> views;
};

struct RenderPass final : Object {
  std::vector<VkImageLayout> final_layouts;  // of its attachments
};

// What a program means by "the rest", in numbers; never more than the image has.
VkImageSubresourceRange in_numbers(const Storage& image, VkImageSubresourceRange range);
// From the first byte of its pixels to the last.
capture::Range bytes_of(Storage& image, const VkImageSubresourceRange& range);
struct LayoutChange {
  Storage* image;
  VkImageSubresourceRange range;
  VkImageLayout layout;
  std::uint32_t part;  // the number of the command buffer that has it, in its submission
};
// Of an image that went through something that nobody noted.
inline constexpr VkImageLayout unknown_layout = VK_IMAGE_LAYOUT_MAX_ENUM;
void set_layout(Storage& image, const VkImageSubresourceRange& range, VkImageLayout layout);

// What a region of an image is in its pixels: rows of bytes.
capture::Box box_of(const Storage& image, const VkImageSubresourceLayers& where, VkOffset3D offset,
                    VkExtent3D extent);

// One that the program makes.
std::shared_ptr<Image> note_image(Device& device, const VkImageCreateInfo& info, VkImage handle);
std::shared_ptr<ImageView> note_view(Device& device, const VkImageViewCreateInfo& info);

}  // namespace reel::layer::vk
