#include "vulkan/formats.hpp"

#include <array>

namespace reel::vulkan {
namespace {

struct Row {
  VkFormat format;
  ChannelOrder order;
  ChannelType type;
};

using O = ChannelOrder;
using T = ChannelType;

// Of two formats with the same bytes the first is the one that a name becomes.
constexpr std::array rows{
    Row{VK_FORMAT_R8_UNORM, O::r, T::unorm8},
    Row{VK_FORMAT_R8_SNORM, O::r, T::snorm8},
    Row{VK_FORMAT_R8_UINT, O::r, T::uint8},
    Row{VK_FORMAT_R8_SINT, O::r, T::int8},
    Row{VK_FORMAT_R8G8_UNORM, O::rg, T::unorm8},
    Row{VK_FORMAT_R8G8_SNORM, O::rg, T::snorm8},
    Row{VK_FORMAT_R8G8_UINT, O::rg, T::uint8},
    Row{VK_FORMAT_R8G8_SINT, O::rg, T::int8},
    Row{VK_FORMAT_R8G8B8_UNORM, O::rgb, T::unorm8},
    Row{VK_FORMAT_R8G8B8_SNORM, O::rgb, T::snorm8},
    Row{VK_FORMAT_R8G8B8_UINT, O::rgb, T::uint8},
    Row{VK_FORMAT_R8G8B8_SINT, O::rgb, T::int8},
    Row{VK_FORMAT_R8G8B8_SRGB, O::srgb, T::unorm8},
    Row{VK_FORMAT_R8G8B8A8_UNORM, O::rgba, T::unorm8},
    Row{VK_FORMAT_R8G8B8A8_SNORM, O::rgba, T::snorm8},
    Row{VK_FORMAT_R8G8B8A8_UINT, O::rgba, T::uint8},
    Row{VK_FORMAT_R8G8B8A8_SINT, O::rgba, T::int8},
    Row{VK_FORMAT_R8G8B8A8_SRGB, O::srgba, T::unorm8},
    Row{VK_FORMAT_B8G8R8A8_UNORM, O::bgra, T::unorm8},
    Row{VK_FORMAT_B8G8R8A8_SNORM, O::bgra, T::snorm8},
    Row{VK_FORMAT_B8G8R8A8_UINT, O::bgra, T::uint8},
    Row{VK_FORMAT_B8G8R8A8_SINT, O::bgra, T::int8},
    Row{VK_FORMAT_B8G8R8A8_SRGB, O::sbgra, T::unorm8},
    // Words with the last channel on top are the same bytes.
    Row{VK_FORMAT_A8B8G8R8_UNORM_PACK32, O::rgba, T::unorm8},
    Row{VK_FORMAT_A8B8G8R8_SNORM_PACK32, O::rgba, T::snorm8},
    Row{VK_FORMAT_A8B8G8R8_UINT_PACK32, O::rgba, T::uint8},
    Row{VK_FORMAT_A8B8G8R8_SINT_PACK32, O::rgba, T::int8},
    Row{VK_FORMAT_A8B8G8R8_SRGB_PACK32, O::srgba, T::unorm8},
    Row{VK_FORMAT_R16_UNORM, O::r, T::unorm16},
    Row{VK_FORMAT_R16_SNORM, O::r, T::snorm16},
    Row{VK_FORMAT_R16_UINT, O::r, T::uint16},
    Row{VK_FORMAT_R16_SINT, O::r, T::int16},
    Row{VK_FORMAT_R16_SFLOAT, O::r, T::float16},
    Row{VK_FORMAT_R16G16_UNORM, O::rg, T::unorm16},
    Row{VK_FORMAT_R16G16_SNORM, O::rg, T::snorm16},
    Row{VK_FORMAT_R16G16_UINT, O::rg, T::uint16},
    Row{VK_FORMAT_R16G16_SINT, O::rg, T::int16},
    Row{VK_FORMAT_R16G16_SFLOAT, O::rg, T::float16},
    Row{VK_FORMAT_R16G16B16_UNORM, O::rgb, T::unorm16},
    Row{VK_FORMAT_R16G16B16_SNORM, O::rgb, T::snorm16},
    Row{VK_FORMAT_R16G16B16_UINT, O::rgb, T::uint16},
    Row{VK_FORMAT_R16G16B16_SINT, O::rgb, T::int16},
    Row{VK_FORMAT_R16G16B16_SFLOAT, O::rgb, T::float16},
    Row{VK_FORMAT_R16G16B16A16_UNORM, O::rgba, T::unorm16},
    Row{VK_FORMAT_R16G16B16A16_SNORM, O::rgba, T::snorm16},
    Row{VK_FORMAT_R16G16B16A16_UINT, O::rgba, T::uint16},
    Row{VK_FORMAT_R16G16B16A16_SINT, O::rgba, T::int16},
    Row{VK_FORMAT_R16G16B16A16_SFLOAT, O::rgba, T::float16},
    Row{VK_FORMAT_R32_UINT, O::r, T::uint32},
    Row{VK_FORMAT_R32_SINT, O::r, T::int32},
    Row{VK_FORMAT_R32_SFLOAT, O::r, T::float32},
    Row{VK_FORMAT_R32G32_UINT, O::rg, T::uint32},
    Row{VK_FORMAT_R32G32_SINT, O::rg, T::int32},
    Row{VK_FORMAT_R32G32_SFLOAT, O::rg, T::float32},
    Row{VK_FORMAT_R32G32B32_UINT, O::rgb, T::uint32},
    Row{VK_FORMAT_R32G32B32_SINT, O::rgb, T::int32},
    Row{VK_FORMAT_R32G32B32_SFLOAT, O::rgb, T::float32},
    Row{VK_FORMAT_R32G32B32A32_UINT, O::rgba, T::uint32},
    Row{VK_FORMAT_R32G32B32A32_SINT, O::rgba, T::int32},
    Row{VK_FORMAT_R32G32B32A32_SFLOAT, O::rgba, T::float32},
    Row{VK_FORMAT_R5G6B5_UNORM_PACK16, O::rgb, T::unorm565},
    Row{VK_FORMAT_D16_UNORM, O::depth, T::unorm16},
    Row{VK_FORMAT_D32_SFLOAT, O::depth, T::float32},
};

// Plain, of one pixel each, and without a name: bytes of those that compute programs use.
constexpr std::uint32_t bytes_of_others(VkFormat format) {
  if (format >= VK_FORMAT_R4G4_UNORM_PACK8 && format <= VK_FORMAT_R4G4_UNORM_PACK8) return 1;
  if (format >= VK_FORMAT_R4G4B4A4_UNORM_PACK16 && format <= VK_FORMAT_A1R5G5B5_UNORM_PACK16)
    return 2;
  if (format >= VK_FORMAT_R8_UNORM && format <= VK_FORMAT_R8_SRGB) return 1;
  if (format >= VK_FORMAT_R8G8_UNORM && format <= VK_FORMAT_R8G8_SRGB) return 2;
  if (format >= VK_FORMAT_R8G8B8_UNORM && format <= VK_FORMAT_B8G8R8_SRGB) return 3;
  if (format >= VK_FORMAT_R8G8B8A8_UNORM && format <= VK_FORMAT_A2B10G10R10_SINT_PACK32) return 4;
  if (format >= VK_FORMAT_R16_UNORM && format <= VK_FORMAT_R16_SFLOAT) return 2;
  if (format >= VK_FORMAT_R16G16_UNORM && format <= VK_FORMAT_R16G16_SFLOAT) return 4;
  if (format >= VK_FORMAT_R16G16B16_UNORM && format <= VK_FORMAT_R16G16B16_SFLOAT) return 6;
  if (format >= VK_FORMAT_R16G16B16A16_UNORM && format <= VK_FORMAT_R16G16B16A16_SFLOAT) return 8;
  if (format >= VK_FORMAT_R32_UINT && format <= VK_FORMAT_R32_SFLOAT) return 4;
  if (format >= VK_FORMAT_R32G32_UINT && format <= VK_FORMAT_R32G32_SFLOAT) return 8;
  if (format >= VK_FORMAT_R32G32B32_UINT && format <= VK_FORMAT_R32G32B32_SFLOAT) return 12;
  if (format >= VK_FORMAT_R32G32B32A32_UINT && format <= VK_FORMAT_R32G32B32A32_SFLOAT) return 16;
  if (format >= VK_FORMAT_R64_UINT && format <= VK_FORMAT_R64_SFLOAT) return 8;
  if (format >= VK_FORMAT_R64G64_UINT && format <= VK_FORMAT_R64G64_SFLOAT) return 16;
  if (format >= VK_FORMAT_R64G64B64_UINT && format <= VK_FORMAT_R64G64B64_SFLOAT) return 24;
  if (format >= VK_FORMAT_R64G64B64A64_UINT && format <= VK_FORMAT_R64G64B64A64_SFLOAT) return 32;
  if (format == VK_FORMAT_B10G11R11_UFLOAT_PACK32 || format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32)
    return 4;
  return 0;
}

}  // namespace

PixelFormat to_pixels(VkFormat format) noexcept {
  for (const Row& row : rows)
    if (row.format == format) return {row.order, row.type, pixel_bytes_of(row.order, row.type)};
  const std::uint32_t number = static_cast<std::uint32_t>(format) | unknown_format;
  return {static_cast<ChannelOrder>(number), static_cast<ChannelType>(number),
          bytes_of_others(format)};
}

VkFormat to_format(ChannelOrder order, ChannelType type) noexcept {
  for (const Row& row : rows)
    if (row.order == order && row.type == type) return row.format;
  const auto number = static_cast<std::uint32_t>(order);
  if (number & unknown_format && number == static_cast<std::uint32_t>(type))
    return static_cast<VkFormat>(number & ~unknown_format);
  return VK_FORMAT_UNDEFINED;
}

bool is_plain(VkFormat format) noexcept {
  const PixelFormat pixels = to_pixels(format);
  return pixels.pixel_bytes != 0 && pixels.order != ChannelOrder::depth;
}

}  // namespace reel::vulkan
