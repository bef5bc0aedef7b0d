// sampler_cache.hpp - samplers, found again by what they say. Kept as long as
// the device; any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "backends/vulkan/device/api.hpp"
#include "reel/image.hpp"

namespace reel::vulkan {

class Context;

struct Sampler {
  VkSampler handle = VK_NULL_HANDLE;
  std::uint64_t number = 0;  // from 1: what descriptor sets are found by
};

class SamplerCache {
 public:
  explicit SamplerCache(const Context& context) : context_(context) {}
  ~SamplerCache();
  SamplerCache(const SamplerCache&) = delete;
  SamplerCache& operator=(const SamplerCache&) = delete;

  // The bytes of a SamplerShape or SamplerState. Throws unsupported for what
  // the device can't do.
  Sampler get(std::span<const std::byte> value);

 private:
  const Context& context_;
  std::mutex mutex_;
  std::vector<std::pair<SamplerState, VkSampler>> samplers_;
};

}  // namespace reel::vulkan
