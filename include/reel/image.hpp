// image.hpp - what an image is besides its bytes.
//
// The bytes of an image are its pixels, row after row, slice after slice, level after level, with
// nothing between: a buffer of pixel_bytes × width × height × depth × layers, and as much as each
// further level has. So contents, ranges and hazards of images are those of buffers; only a device
// that samples them needs to know more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace reel {

// Dimensions of an image.
enum class ImageType : std::uint8_t { d1, d1_buffer, d1_array, d2, d2_array, d3 };

// Which channels a pixel has, and in which order; with an x, one that is there and says nothing.
enum class ChannelOrder : std::uint32_t {
  unknown,
  r,
  a,
  rg,
  ra,
  rgb,
  rgba,
  bgra,
  argb,
  intensity,
  luminance,
  rx,
  rgx,
  rgbx,
  depth,
  depth_stencil,
  srgb,
  srgbx,
  srgba,
  sbgra,
  abgr,
};
// What each of them is; of the packed ones, all of them together.
enum class ChannelType : std::uint32_t {
  unknown,
  snorm8,
  snorm16,
  unorm8,
  unorm16,
  unorm565,
  unorm555,
  unorm101010,
  int8,
  int16,
  int32,
  uint8,
  uint16,
  uint32,
  float16,
  float32,
  unorm24,
  unorm1010102,
};
// Set in a format of a driver that has no name here; the rest is the driver's number.
inline constexpr std::uint32_t unknown_format = 0x80000000;

// "RGBA", "luminance"; "8 unorm", "32 float", "565 unorm". Empty where it has no name.
const char* to_string(ChannelOrder order) noexcept;
const char* to_string(ChannelType type) noexcept;
// By these names, in any case of letters; unknown where there is none.
ChannelOrder parse_channel_order(std::string_view name) noexcept;
ChannelType parse_channel_type(std::string_view name) noexcept;  // by name
// Bytes of a pixel of this format; 0 where that isn't known.
std::uint32_t pixel_bytes_of(ChannelOrder order, ChannelType type) noexcept;

struct ImageShape {  // size and format
  ImageType type = ImageType::d2;
  ChannelOrder channel_order = ChannelOrder::unknown;
  ChannelType channel_type = ChannelType::unknown;
  std::uint32_t pixel_bytes = 0;
  std::uint64_t width = 1, height = 1, depth = 1, layers = 1;  // 1 where the type has none
  // Of an image that is made on a buffer, where its rows begin; 0: they follow each other.
  std::uint64_t row_pitch_bytes = 0;
  // Of an image of Vulkan. Each level is half as wide, high and deep as the one before, rounded
  // down. Of one with several samples a pixel there are no bytes that mean anything.
  std::uint32_t levels = 1, samples = 1;
  // Of an image that is made on a part of another one: which of its levels and layers is the first
  // here, and for R, G, B and A, four bits each from the lowest on, what is read in its place: 0:
  // itself, 1: zero, 2: one, 3 to 6: R, G, B, A.
  std::uint32_t first_level = 0, first_layer = 0, swizzle = 0;

  // The same of one of its levels.
  ImageShape level(std::uint32_t number) const noexcept;
  // Where a level begins. Only of a shape that is_sound(), as below: the product of others may be
  // anything.
  std::uint64_t level_offset(std::uint32_t number) const noexcept;
  std::uint64_t size_bytes() const noexcept { return level_offset(levels); }  // of its pixels
  // Each size at least 1, 1 where the type has none, no more levels than it can be halved, and no
  // more than 2^62 bytes a level.
  bool is_sound() const noexcept;
  // From the first byte to the last of the buffer that it is made on.
  std::uint64_t stored_bytes() const noexcept {
    return row_pitch_bytes ? row_pitch_bytes * (height - 1) + pixel_bytes * width : size_bytes();
  }
  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

// "1d", "1d_buffer", "1d_array", "2d", "2d_array", "3d".
const char* to_string(ImageType type) noexcept;
// "RGBA8 unorm", "R32 float"; what is not known as its two numbers.
std::string format_name(const ImageShape& shape);
// "640 x 480", "64 x 64 x 32", "256 x 256, 6 layers".
std::string extent_text(const ImageShape& shape);
// Where a byte of it is: "pixel (12, 7)", "pixel (3, 0, 9)", "pixel (5) of layer 2".
std::string pixel_text(const ImageShape& shape, std::uint64_t offset_bytes);

// What a sampler does outside of an image, and between pixels. The numbers are those that documents
// have, and OpenCL had first.
enum class Addressing : std::uint32_t {
  undefined = 0x1130,
  clamp_to_edge,
  clamp_to_border,
  repeat,
  mirrored_repeat,
  mirror_clamp_to_edge  // Vulkan alone
};
enum class Filter : std::uint32_t { nearest = 0x1140, linear, cubic };  // cubic: Vulkan alone

struct SamplerShape {            // how an image is read
  std::uint32_t normalized = 0;  // coordinates from 0 to 1; else in pixels
  Addressing addressing = Addressing::undefined;
  Filter filter = Filter::nearest;
  friend bool operator==(const SamplerShape&, const SamplerShape&) = default;
};
// "normalized, clamp to edge, linear".
std::string to_string(const SamplerShape& sampler);

// All that a sampler of Vulkan says. Documents keep its bytes; they have no padding.
struct SamplerState {
  enum class Border : std::uint32_t {  // beyond the edge
    transparent_black,
    transparent_black_whole_numbers,
    opaque_black,
    opaque_black_whole_numbers,
    opaque_white,
    opaque_white_whole_numbers
  };
  Filter magnify = Filter::nearest, minify = Filter::nearest;
  Filter between_levels = Filter::nearest;
  Addressing u = Addressing::clamp_to_edge, v = Addressing::clamp_to_edge,
             w = Addressing::clamp_to_edge;
  std::uint32_t normalized = 1;
  Border border = Border::transparent_black;
  std::uint32_t compare = 0;    // 0: not at all; else 1 + VkCompareOp
  std::uint32_t reduction = 0;  // VkSamplerReductionMode
  float level_bias = 0, least_level = 0, most_level = 0;
  float anisotropy = 0;     // 0: none
  std::uint32_t flags = 0;  // VkSamplerCreateFlags
  friend bool operator==(const SamplerState&, const SamplerState&) = default;
};
static_assert(sizeof(SamplerState) == 15 * 4);
// "normalized, clamp to edge, linear", and what else is unusual.
std::string to_string(const SamplerState& sampler);
// What a sampler says in the few words of the other; a device of Vulkan takes either.
SamplerState to_state(const SamplerShape& sampler) noexcept;
// Of the bytes of either; empty where they are of none.
std::string sampler_text(std::span<const std::byte> bytes);

}  // namespace reel
