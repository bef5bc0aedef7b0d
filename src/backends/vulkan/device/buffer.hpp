// buffer.hpp - a VkBuffer and its memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "backends/vulkan/device/context.hpp"
#include "backends/vulkan/device/image.hpp"
#include "graph/commands/resource.hpp"
#include "reel/buffer.hpp"
#include "runtime/driver.hpp"

namespace reel::vulkan {

struct VulkanBuffer : BufferResource {
  // Zeroed. Throws out_of_memory, or unsupported of an image, with the label.
  VulkanBuffer(std::shared_ptr<Context> context_, const MemoryRequest& request);
  ~VulkanBuffer() override;

  std::shared_ptr<Context> context;
  VkBuffer handle = VK_NULL_HANDLE;  // none of texels on a buffer
  Memory memory;
  // Of an image: it has no VkBuffer then, unless it is one of texels.
  std::unique_ptr<VulkanImage> picture;
  VkBufferView texels = VK_NULL_HANDLE;
  // Of the host where it may read and write the buffer itself, else null.
  std::byte* host = nullptr;
  // Never used again, unlike `handle`: what descriptor sets are found by.
  std::uint64_t serial = 0;
  // The batch that last took hold of it, so that a batch does so once.
  std::atomic<std::uint64_t> holder = 0;

 private:
  void make_storage(const MemoryRequest& request);
  void make_texels(const MemoryRequest& request);
  void destroy() noexcept;
};

// For what descriptor sets name besides buffers.
std::uint64_t new_serial() noexcept;
// A number for a batch or recording, to be left in `holder`.
std::uint64_t new_holder() noexcept;

inline VulkanBuffer& buffer_of(const BufferRange& range) {
  return static_cast<VulkanBuffer&>(*range.buffer);
}

// A buffer through which host and device exchange bytes. Move-only.
struct StagingBuffer {
  StagingBuffer() = default;
  StagingBuffer(Context& of, std::uint64_t bytes);
  ~StagingBuffer();
  StagingBuffer(StagingBuffer&& other) noexcept { *this = std::move(other); }
  StagingBuffer& operator=(StagingBuffer&& other) noexcept;

  Context* context = nullptr;
  VkBuffer handle = VK_NULL_HANDLE;
  Memory memory;
  std::uint64_t size_bytes = 0;
};

}  // namespace reel::vulkan
