#include "vulkan/samplers.hpp"

namespace reel::vulkan {
namespace {

Filter to_filter(VkFilter filter) {
  if (filter == VK_FILTER_CUBIC_EXT) return Filter::cubic;
  return filter == VK_FILTER_LINEAR ? Filter::linear : Filter::nearest;
}
VkFilter from_filter(Filter filter) {
  if (filter == Filter::cubic) return VK_FILTER_CUBIC_EXT;
  return filter == Filter::linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
}

Addressing to_addressing(VkSamplerAddressMode mode) {
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT:
      return Addressing::repeat;
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
      return Addressing::mirrored_repeat;
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER:
      return Addressing::clamp_to_border;
    case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE:
      return Addressing::mirror_clamp_to_edge;
    default:
      return Addressing::clamp_to_edge;
  }
}
VkSamplerAddressMode from_addressing(Addressing addressing) {
  switch (addressing) {
    case Addressing::repeat:
      return VK_SAMPLER_ADDRESS_MODE_REPEAT;
    case Addressing::mirrored_repeat:
      return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
    case Addressing::clamp_to_border:
      return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    case Addressing::mirror_clamp_to_edge:
      return VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
    case Addressing::undefined:
    case Addressing::clamp_to_edge:
      break;
  }
  return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
}

}  // namespace

std::optional<SamplerState> to_state(const VkSamplerCreateInfo& info) noexcept {
  SamplerState state;
  for (const auto* next = static_cast<const VkBaseInStructure*>(info.pNext); next;
       next = next->pNext) {
    if (next->sType == VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO)
      state.reduction =
          reinterpret_cast<const VkSamplerReductionModeCreateInfo*>(next)->reductionMode;
    if (next->sType == VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO ||
        next->sType == VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT)
      return std::nullopt;
  }
  if (info.borderColor > VK_BORDER_COLOR_INT_OPAQUE_WHITE) return std::nullopt;
  state.magnify = to_filter(info.magFilter);
  state.minify = to_filter(info.minFilter);
  state.between_levels =
      info.mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? Filter::linear : Filter::nearest;
  state.u = to_addressing(info.addressModeU);
  state.v = to_addressing(info.addressModeV);
  state.w = to_addressing(info.addressModeW);
  state.normalized = info.unnormalizedCoordinates ? 0 : 1;
  state.border = static_cast<SamplerState::Border>(info.borderColor);
  state.compare = info.compareEnable ? 1 + static_cast<std::uint32_t>(info.compareOp) : 0;
  state.level_bias = info.mipLodBias;
  state.least_level = info.minLod;
  state.most_level = info.maxLod;
  state.anisotropy = info.anisotropyEnable ? info.maxAnisotropy : 0;
  state.flags = info.flags;
  return state;
}

VkSamplerCreateInfo to_create_info(const SamplerState& state,
                                   VkSamplerReductionModeCreateInfo& reduction) noexcept {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  if (state.reduction) {
    reduction = {};
    reduction.sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO;
    reduction.reductionMode = static_cast<VkSamplerReductionMode>(state.reduction);
    info.pNext = &reduction;
  }
  info.flags = state.flags;
  info.magFilter = from_filter(state.magnify);
  info.minFilter = from_filter(state.minify);
  info.mipmapMode = state.between_levels == Filter::linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                                                           : VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.addressModeU = from_addressing(state.u);
  info.addressModeV = from_addressing(state.v);
  info.addressModeW = from_addressing(state.w);
  info.mipLodBias = state.level_bias;
  info.anisotropyEnable = state.anisotropy > 0;
  info.maxAnisotropy = state.anisotropy;
  info.compareEnable = state.compare != 0;
  info.compareOp = static_cast<VkCompareOp>(state.compare ? state.compare - 1 : 0);
  info.minLod = state.least_level;
  info.maxLod = state.most_level;
  info.borderColor = static_cast<VkBorderColor>(state.border);
  info.unnormalizedCoordinates = !state.normalized;
  return info;
}

}  // namespace reel::vulkan
