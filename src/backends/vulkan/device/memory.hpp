// memory.hpp - device memory, shared out from blocks.
//
// Drivers allow as few as 4096 allocations, so that small ones are cut from 16 MiB blocks; large
// ones get memory of their own. Host-visible memory stays mapped. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/vulkan/device/api.hpp"

namespace reel::vulkan {

struct MemoryBlock;

struct Memory {
  VkDeviceMemory handle = VK_NULL_HANDLE;
  std::uint64_t offset = 0, size = 0;
  std::byte* mapped = nullptr;  // at `offset`; null when the host can't see it
  MemoryBlock* block = nullptr;
};

enum class MemoryUse : std::uint8_t {
  storage,    // where kernels work
  staging,    // where host and device exchange bytes
  addressed,  // as storage, of buffers that have an address
  image,      // alone: drivers want pages between images and buffers
};

class MemoryPool {
 public:
  MemoryPool(VkPhysicalDevice physical, VkDevice device, const VolkDeviceTable& vk);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Throws out_of_memory that says how much was asked for, is in use and is there.
  Memory allocate(const VkMemoryRequirements& wanted, MemoryUse use);
  void free(const Memory& memory) noexcept;

  // The host may read and write storage memory directly, at the speed of its own.
  bool storage_is_host_memory() const noexcept { return storage_is_host_memory_; }

 private:
  std::uint32_t choose_type(MemoryUse use) const;
  std::unique_ptr<MemoryBlock> make_block(std::uint32_t type, std::uint64_t size_bytes,
                                          bool is_addressed);
  void release(MemoryBlock& block) noexcept;

  VkDevice device_;
  const VolkDeviceTable& vk_;
  VkPhysicalDeviceMemoryProperties properties_{};
  std::uint32_t storage_type_ = 0, staging_type_ = 0;
  bool storage_is_host_memory_ = false;

  std::mutex mutex_;
  std::vector<std::unique_ptr<MemoryBlock>> blocks_;
  std::uint64_t heap_used_[VK_MAX_MEMORY_HEAPS] = {};
};

}  // namespace reel::vulkan
