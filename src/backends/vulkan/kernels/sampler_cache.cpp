#include "backends/vulkan/kernels/sampler_cache.hpp"

#include <cstring>

#include "backends/vulkan/device/context.hpp"
#include "backends/vulkan/device/result.hpp"
#include "base/fail.hpp"
#include "vulkan/samplers.hpp"

namespace reel::vulkan {
namespace {

SamplerState state_of(std::span<const std::byte> value) {
  if (SamplerState state; value.size() == sizeof state) {
    std::memcpy(&state, value.data(), sizeof state);
    return state;
  }
  SamplerShape shape;
  if (value.size() != sizeof shape)
    fail(Code::invalid_argument, "A sampler has {} or {} bytes, not {}.", sizeof(SamplerShape),
         sizeof(SamplerState), value.size());
  std::memcpy(&shape, value.data(), sizeof shape);
  return to_state(shape);
}

}  // namespace

SamplerCache::~SamplerCache() {
  for (const auto& [state, handle] : samplers_)
    context_.vk.vkDestroySampler(context_.device, handle, nullptr);
}

Sampler SamplerCache::get(std::span<const std::byte> value) {
  const SamplerState state = state_of(value);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < samplers_.size(); ++i)
    if (std::memcmp(&samplers_[i].first, &state, sizeof state) == 0)
      return {samplers_[i].second, i + 1};
  const auto refuse = [&](const char* what) {
    fail(Code::unsupported, "A sampler ({}) asks for {}, which '{}' doesn't have.",
         to_string(state), what, context_.physical.info.name);
  };
  const auto mirrors = [](Addressing a) { return a == Addressing::mirror_clamp_to_edge; };
  if (state.anisotropy > 0 && !context_.features.core.features.samplerAnisotropy)
    refuse("anisotropy");
  if (state.reduction && !context_.features.sampler_minmax) refuse("minima and maxima");
  if ((mirrors(state.u) || mirrors(state.v) || mirrors(state.w)) &&
      !context_.features.sampler_mirror_clamp)
    refuse("mirrored edges");
  if (state.magnify == Filter::cubic || state.minify == Filter::cubic) refuse("cubic filters");
  VkSamplerReductionModeCreateInfo reduction{};
  const VkSamplerCreateInfo info = to_create_info(state, reduction);
  VkSampler handle = VK_NULL_HANDLE;
  check(context_.vk.vkCreateSampler(context_.device, &info, nullptr, &handle), "vkCreateSampler");
  samplers_.emplace_back(state, handle);
  return {handle, samplers_.size()};
}

}  // namespace reel::vulkan
