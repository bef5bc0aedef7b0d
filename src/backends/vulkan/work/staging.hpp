// staging.hpp - room for the bytes that a batch carries to and from the device.
//
// Handed out from 256 KiB buffers; reset() makes it all free again. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/vulkan/device/buffer.hpp"

namespace reel::vulkan {

struct StagingRange {
  VkBuffer buffer = VK_NULL_HANDLE;
  std::uint64_t offset = 0;
  std::byte* bytes = nullptr;
};

class StagingArena {
 public:
  explicit StagingArena(Context& context) : context_(&context) {}

  StagingRange take(std::uint64_t size_bytes);
  void reset();  // only when the device is done with it
  std::uint64_t held_bytes() const noexcept;

 private:
  Context* context_;
  std::vector<StagingBuffer> buffers_;  // the last one is being filled
  std::uint64_t used_ = 0;              // of the last one
};

// Bytes to hand to the host when the device is done.
struct ReadBack {
  const std::byte* source;
  std::span<std::byte> target;
};

}  // namespace reel::vulkan
