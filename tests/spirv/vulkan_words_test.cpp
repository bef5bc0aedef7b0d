// Formats and samplers of Vulkan, to the library's words and back.
#include <gtest/gtest.h>

#include "vulkan/formats.hpp"
#include "vulkan/result_name.hpp"
#include "vulkan/samplers.hpp"

namespace reel::vulkan {
namespace {

TEST(VulkanFormats, EveryFormatComesBackAsOneOfTheSameBytes) {
  int named = 0;
  for (int number = 1; number <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; ++number) {
    const auto format = static_cast<VkFormat>(number);
    const PixelFormat pixels = to_pixels(format);
    const VkFormat back = to_format(pixels.order, pixels.type);
    named += !(static_cast<std::uint32_t>(pixels.order) & unknown_format);
    if (back == format) continue;
    // Words with the last channel on top are the same bytes as the channels one by one.
    EXPECT_GE(format, VK_FORMAT_A8B8G8R8_UNORM_PACK32) << number;
    EXPECT_LE(format, VK_FORMAT_A8B8G8R8_SRGB_PACK32) << number;
    EXPECT_EQ(to_pixels(back).pixel_bytes, 4u);
  }
  EXPECT_GT(named, 50);
}

TEST(VulkanFormats, SizesOfPixelsAreThoseOfTheirNames) {
  EXPECT_EQ(to_pixels(VK_FORMAT_R8G8B8A8_UNORM).order, ChannelOrder::rgba);
  EXPECT_EQ(to_pixels(VK_FORMAT_R8G8B8A8_UNORM).type, ChannelType::unorm8);
  EXPECT_EQ(to_pixels(VK_FORMAT_R8G8B8A8_UNORM).pixel_bytes, 4u);
  EXPECT_EQ(to_pixels(VK_FORMAT_R32G32B32A32_SFLOAT).pixel_bytes, 16u);
  EXPECT_EQ(to_pixels(VK_FORMAT_R5G6B5_UNORM_PACK16).pixel_bytes, 2u);
  EXPECT_EQ(to_pixels(VK_FORMAT_B10G11R11_UFLOAT_PACK32).pixel_bytes, 4u);
  EXPECT_EQ(to_pixels(VK_FORMAT_R64G64B64A64_SFLOAT).pixel_bytes, 32u);
  EXPECT_TRUE(is_plain(VK_FORMAT_B10G11R11_UFLOAT_PACK32));
  EXPECT_FALSE(is_plain(VK_FORMAT_BC1_RGB_UNORM_BLOCK));
  EXPECT_FALSE(is_plain(VK_FORMAT_D32_SFLOAT));
  EXPECT_FALSE(is_plain(VK_FORMAT_D24_UNORM_S8_UINT));
  EXPECT_FALSE(is_plain(VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM));
}

TEST(VulkanSamplers, ComeBackAsTheyWere) {
  VkSamplerReductionModeCreateInfo reduction{};
  reduction.sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO;
  reduction.reductionMode = VK_SAMPLER_REDUCTION_MODE_MAX;
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.pNext = &reduction;
  info.magFilter = VK_FILTER_LINEAR;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  info.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
  info.addressModeV = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
  info.addressModeW = VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
  info.borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
  info.anisotropyEnable = VK_TRUE;
  info.maxAnisotropy = 8;
  info.compareEnable = VK_TRUE;
  info.compareOp = VK_COMPARE_OP_NEVER;
  info.mipLodBias = 0.5f;
  info.minLod = 1;
  info.maxLod = 9;
  const auto state = to_state(info);
  ASSERT_TRUE(state);
  VkSamplerReductionModeCreateInfo again{};
  const VkSamplerCreateInfo back = to_create_info(*state, again);
  EXPECT_EQ(to_state(back), state);
  EXPECT_EQ(again.reductionMode, VK_SAMPLER_REDUCTION_MODE_MAX);
  EXPECT_EQ(back.compareEnable, VK_TRUE);
  EXPECT_EQ(back.addressModeW, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE);
  EXPECT_EQ(back.maxAnisotropy, 8);
  EXPECT_EQ(to_string(*state),
            "normalized, clamp to border / mirrored repeat / mirror clamp to edge, linear (nearest "
            "when smaller), linear between levels, border opaque white, compares never, anisotropy "
            "8, level bias 0.5, levels from 1, maximum");
}

TEST(VulkanSamplers, WhatIsNotKeptIsSaid) {
  VkSamplerCustomBorderColorCreateInfoEXT colour{};
  colour.sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT;
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.pNext = &colour;
  EXPECT_FALSE(to_state(info));
}

TEST(VulkanResults, HaveNames) {
  EXPECT_STREQ(name_of(VK_ERROR_DEVICE_LOST), "VK_ERROR_DEVICE_LOST");
  EXPECT_STREQ(name_of(static_cast<VkResult>(77)), "unknown VkResult");
}

}  // namespace
}  // namespace reel::vulkan
