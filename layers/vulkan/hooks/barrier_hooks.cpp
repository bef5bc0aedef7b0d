// Order within command buffers: barriers, and waits for events.
#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/objects/command_buffer.hpp"

namespace reel::layer::vk {

namespace {

BarrierPart* add_parts(CommandBuffer& commands, const char* function, std::size_t count) noexcept {
  auto* op = commands.ops.add<BarrierOp>(OpKind::barrier, count * sizeof(BarrierPart));
  if (!op) return nullptr;
  *op = {function, static_cast<std::uint32_t>(count)};
  return reinterpret_cast<BarrierPart*>(OpList::behind(op));
}

BarrierPart empty_part(std::uint64_t source_stages, std::uint64_t target_stages) noexcept {
  BarrierPart part{};
  part.source_stages = source_stages;
  part.target_stages = target_stages;
  part.source_family = part.target_family = VK_QUEUE_FAMILY_IGNORED;
  return part;
}

template <class Memory>
void set_accesses(BarrierPart& part, const Memory& barrier) noexcept {
  part.source_accesses = barrier.srcAccessMask;
  part.target_accesses = barrier.dstAccessMask;
}
template <class Buffer>
void set_buffer(BarrierPart& part, const Buffer& barrier) noexcept {
  set_accesses(part, barrier);
  part.buffer = barrier.buffer;
  part.offset = barrier.offset;
  part.size = barrier.size;
  part.source_family = barrier.srcQueueFamilyIndex;
  part.target_family = barrier.dstQueueFamilyIndex;
}
template <class Image>
void set_image(BarrierPart& part, const Image& barrier) noexcept {
  set_accesses(part, barrier);
  part.image = barrier.image;
  part.size = VK_WHOLE_SIZE;
  part.old_layout = barrier.oldLayout;
  part.new_layout = barrier.newLayout;
  part.part = barrier.subresourceRange;
  part.source_family = barrier.srcQueueFamilyIndex;
  part.target_family = barrier.dstQueueFamilyIndex;
}

void note_barrier(CommandBuffer& commands, const char* function, VkPipelineStageFlags source,
                  VkPipelineStageFlags target, std::uint32_t memory_count,
                  const VkMemoryBarrier* memories, std::uint32_t buffer_count,
                  const VkBufferMemoryBarrier* buffers, std::uint32_t image_count,
                  const VkImageMemoryBarrier* images) noexcept {
  const std::uint32_t count = memory_count + buffer_count + image_count;
  BarrierPart* part = add_parts(commands, function, count ? count : 1);
  if (!part) return;
  if (!count) *part = empty_part(source, target);
  for (std::uint32_t i = 0; i < memory_count; ++i, ++part) {
    *part = empty_part(source, target);
    set_accesses(*part, memories[i]);
    part->size = VK_WHOLE_SIZE;
  }
  for (std::uint32_t i = 0; i < buffer_count; ++i, ++part) {
    *part = empty_part(source, target);
    set_buffer(*part, buffers[i]);
  }
  for (std::uint32_t i = 0; i < image_count; ++i, ++part) {
    *part = empty_part(source, target);
    set_image(*part, images[i]);
  }
}

void note_barrier(CommandBuffer& commands, const char* function, std::uint32_t info_count,
                  const VkDependencyInfo* infos) noexcept {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < info_count; ++i)
    count += infos[i].memoryBarrierCount + infos[i].bufferMemoryBarrierCount +
             infos[i].imageMemoryBarrierCount;
  BarrierPart* part = add_parts(commands, function, count);
  for (std::uint32_t i = 0; part && i < info_count; ++i) {
    const VkDependencyInfo& info = infos[i];
    for (std::uint32_t j = 0; j < info.memoryBarrierCount; ++j, ++part) {
      const VkMemoryBarrier2& one = info.pMemoryBarriers[j];
      *part = empty_part(one.srcStageMask, one.dstStageMask);
      set_accesses(*part, one);
      part->size = VK_WHOLE_SIZE;
    }
    for (std::uint32_t j = 0; j < info.bufferMemoryBarrierCount; ++j, ++part) {
      const VkBufferMemoryBarrier2& one = info.pBufferMemoryBarriers[j];
      *part = empty_part(one.srcStageMask, one.dstStageMask);
      set_buffer(*part, one);
    }
    for (std::uint32_t j = 0; j < info.imageMemoryBarrierCount; ++j, ++part) {
      const VkImageMemoryBarrier2& one = info.pImageMemoryBarriers[j];
      *part = empty_part(one.srcStageMask, one.dstStageMask);
      set_image(*part, one);
    }
  }
}

void VKAPI_CALL pipeline_barrier(VkCommandBuffer handle, VkPipelineStageFlags source,
                                 VkPipelineStageFlags target, VkDependencyFlags flags,
                                 std::uint32_t memory_count, const VkMemoryBarrier* memories,
                                 std::uint32_t buffer_count, const VkBufferMemoryBarrier* buffers,
                                 std::uint32_t image_count, const VkImageMemoryBarrier* images) {
  CommandBuffer& commands = command_buffer(handle);
  if (commands.stamps_barriers) [[unlikely]]
    commands.stamp_barrier();
  note_barrier(commands, "vkCmdPipelineBarrier", source, target, memory_count, memories,
               buffer_count, buffers, image_count, images);
  commands.next->CmdPipelineBarrier(handle, source, target, flags, memory_count, memories,
                                    buffer_count, buffers, image_count, images);
}

void VKAPI_CALL pipeline_barrier2(VkCommandBuffer handle, const VkDependencyInfo* info) {
  CommandBuffer& commands = command_buffer(handle);
  if (commands.stamps_barriers) [[unlikely]]
    commands.stamp_barrier();
  note_barrier(commands, "vkCmdPipelineBarrier2", 1, info);
  commands.next->CmdPipelineBarrier2(handle, info);
}

void VKAPI_CALL wait_events(VkCommandBuffer handle, std::uint32_t event_count,
                            const VkEvent* events, VkPipelineStageFlags source,
                            VkPipelineStageFlags target, std::uint32_t memory_count,
                            const VkMemoryBarrier* memories, std::uint32_t buffer_count,
                            const VkBufferMemoryBarrier* buffers, std::uint32_t image_count,
                            const VkImageMemoryBarrier* images) {
  CommandBuffer& commands = command_buffer(handle);
  note_barrier(commands, "vkCmdWaitEvents", source, target, memory_count, memories, buffer_count,
               buffers, image_count, images);
  commands.next->CmdWaitEvents(handle, event_count, events, source, target, memory_count, memories,
                               buffer_count, buffers, image_count, images);
}

void VKAPI_CALL wait_events2(VkCommandBuffer handle, std::uint32_t event_count,
                             const VkEvent* events, const VkDependencyInfo* infos) {
  CommandBuffer& commands = command_buffer(handle);
  note_barrier(commands, "vkCmdWaitEvents2", event_count, infos);
  commands.next->CmdWaitEvents2(handle, event_count, events, infos);
}

}  // namespace

std::span<const Hook> barrier_hooks() {
  static const Hook hooks[] = {
      {"vkCmdPipelineBarrier", pipeline_barrier},
      {"vkCmdPipelineBarrier2", pipeline_barrier2},
      {"vkCmdPipelineBarrier2KHR", pipeline_barrier2},
      {"vkCmdWaitEvents", wait_events},
      {"vkCmdWaitEvents2", wait_events2},
      {"vkCmdWaitEvents2KHR", wait_events2},
  };
  return hooks;
}

}  // namespace reel::layer::vk
