// recorder.hpp - commands into a command buffer, without binding anything twice.
//
// Used by queues for what is enqueued and by executables for whole plans. Doesn't own the
// command buffer, nor what its commands name. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/vulkan/kernels/descriptor_cache.hpp"
#include "backends/vulkan/kernels/kernel.hpp"
#include "backends/vulkan/work/staging.hpp"
#include "backends/vulkan/work/stamp.hpp"
#include "reel/command.hpp"

namespace reel::vulkan {

// A dispatch of no groups. To a driver it may be something all the same (llvmpipe 22.3: README.md),
// so what a program gave by a declared layout is given again.
inline bool is_nothing(const Dispatch& dispatch) {
  return !dispatch.indirect.buffer && dispatch.groups.count() == 0 &&
         !static_cast<const VulkanKernel&>(*dispatch.kernel).is_declared;
}

// A word of a buffer by which dispatches are skipped.
struct Predicate {
  std::uint64_t offset_bytes = 0;
  bool skips_unless_zero = false;
};

class Recorder {
 public:
  explicit Recorder(Context& context) : context_(context), vk_(context.vk) {}

  void begin(VkCommandBuffer commands, VkCommandBufferUsageFlags usage,
             DescriptorGeneration& descriptors);
  // Ends with a barrier: whatever the device is given next, and the host, see what was written.
  void end();

  void dispatch(const Dispatch& dispatch, StagingArena& staging);
  // The same of a kernel without a declared layout, and of some groups.
  void dispatch_by_position(const VulkanKernel& kernel, Dim3 groups,
                            std::span<const Argument> arguments) {
    bind_pipeline(kernel);
    bind_by_position(kernel, arguments);
    vk_.vkCmdDispatch(commands_, groups.x, groups.y, groups.z);
  }
  void copy(const Copy& copy, StagingArena& staging);
  void fill(const Fill& fill, StagingArena& staging);
  void write(const Write& write, StagingArena& staging);
  void read(const Read& read, StagingArena& staging, std::vector<ReadBack>& read_backs);
  void barrier();
  // The same, and predicates may be read after it, and written.
  void barrier_of_predicates();
  // Until end_predicate() only dispatches, which are skipped where the word is 0, or isn't.
  void begin_predicate(VkBuffer buffer, const Predicate& predicate);
  void end_predicate();
  void copy_bytes(VkBuffer source, std::uint64_t source_offset, VkBuffer target,
                  std::uint64_t target_offset, std::uint64_t size);
  void clear_words(VkBuffer target, std::uint64_t offset, std::uint64_t size);
  void reset_stamps(VkQueryPool queries, std::uint32_t first, std::uint32_t count);
  void stamp(VkQueryPool queries, std::uint32_t query, VkPipelineStageFlagBits after);
  void copy_stamps(VkQueryPool queries, std::uint32_t first, std::uint32_t count, VkBuffer target,
                   std::uint64_t offset);

 private:
  void barrier(VkPipelineStageFlags stages, VkAccessFlags more_reads);
  void bind(const VulkanKernel& kernel, const Dispatch& dispatch, StagingArena& staging);
  void run(const Dispatch& dispatch);  // with what is bound
  void bind_pipeline(const VulkanKernel& kernel) {
    if (pipeline_ == kernel.pipeline) return;
    vk_.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
    pipeline_ = kernel.pipeline;
  }
  void bind_by_position(const VulkanKernel& kernel, std::span<const Argument> arguments);
  void bind_set(const Layout& layout, std::span<const Argument> arguments, std::size_t buffers);
  VkDescriptorSet write_set(const Layout& layout, std::span<const Argument> arguments,
                            std::span<const Binding> bindings);
  void bind_declared(const VulkanKernel& kernel, const Dispatch& dispatch, StagingArena& staging);
  void gather(const VulkanKernel& kernel, const Dispatch& dispatch, StagingArena& staging);
  // The bytes of a uniform buffer, which the command carries.
  void gather_bytes(std::span<const std::byte> bytes, StagingArena& staging, Binding& binding,
                    VkDescriptorBufferInfo& info) const;
  void push(const Layout& layout, const std::byte* values);
  // Bytes of an image, which are boxes of pixels to Vulkan.
  void copy_from_image(const BufferRange& source, VkBuffer target, std::uint64_t target_offset,
                       StagingArena& staging);
  void copy_to_image(VkBuffer source, std::uint64_t source_offset, const BufferRange& target,
                     StagingArena& staging);
  void between_copies();

  Context& context_;
  const VolkDeviceTable& vk_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  DescriptorGeneration* descriptors_ = nullptr;

  // What is bound now.
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  const Layout* set_layout_ = nullptr;
  const Layout* value_layout_ = nullptr;
  std::array<Binding, max_buffers> bindings_{};
  std::array<std::byte, max_value_block_bytes> values_{};
  // The same of kernels with a declared layout, of all their sets; kept to be
  // filled again.
  const Layout* declared_layout_ = nullptr;
  std::vector<Binding> declared_, gathered_;
  std::vector<DescriptorInfo> infos_;
};

}  // namespace reel::vulkan
