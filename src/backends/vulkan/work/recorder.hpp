// recorder.hpp - commands into a command buffer, without binding anything twice.
//
// Used by queues for what is enqueued and by executables for whole plans. Doesn't own the
// command buffer, nor what its commands name. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/vulkan/kernels/descriptor_cache.hpp"
#include "backends/vulkan/kernels/kernel.hpp"
#include "backends/vulkan/work/staging.hpp"
#include "backends/vulkan/work/stamp.hpp"
#include "reel/command.hpp"

namespace reel::vulkan {

class Recorder {
 public:
  explicit Recorder(const Context& context) : vk_(context.vk) {}

  void begin(VkCommandBuffer commands, VkCommandBufferUsageFlags usage,
             DescriptorGeneration& descriptors);
  // Ends with a barrier: whatever the device is given next, and the host, see what was written.
  void end();

  void dispatch(const Dispatch& dispatch);
  void copy(const Copy& copy);
  void fill(const Fill& fill, StagingArena& staging);
  void write(const Write& write, StagingArena& staging);
  void read(const Read& read, StagingArena& staging, std::vector<ReadBack>& read_backs);
  void barrier();
  void reset_stamps(VkQueryPool queries, std::uint32_t first, std::uint32_t count);
  void stamp(VkQueryPool queries, std::uint32_t query, VkPipelineStageFlagBits after);
  void copy_stamps(VkQueryPool queries, std::uint32_t first, std::uint32_t count, VkBuffer target,
                   std::uint64_t offset);

 private:
  void bind(const VulkanKernel& kernel, const Dispatch& dispatch);
  void copy_bytes(VkBuffer source, std::uint64_t source_offset, VkBuffer target,
                  std::uint64_t target_offset, std::uint64_t size);

  const VolkDeviceTable& vk_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  DescriptorGeneration* descriptors_ = nullptr;

  // What is bound now.
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  const Layout* set_layout_ = nullptr;
  const Layout* value_layout_ = nullptr;
  std::array<Binding, max_buffers> bindings_{};
  std::array<std::byte, max_value_block_bytes> values_{};
};

}  // namespace reel::vulkan
