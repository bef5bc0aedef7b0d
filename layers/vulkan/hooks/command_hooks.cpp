// What a program records: each call is noted in the list of its command buffer, and given on.
#include <algorithm>
#include <cstring>

#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/objects/command_buffer.hpp"
#include "layers/vulkan/objects/descriptors.hpp"
#include "layers/vulkan/submission.hpp"

namespace reel::layer::vk {

namespace {

// A program may only record into a buffer that lives, and that we saw being allocated.
template <class T>
void copy_list(std::byte* to, const T* from, std::size_t count) noexcept {
  if (count) std::memcpy(to, from, count * sizeof(T));
}

// --- what dispatches use ------------------------------------------------------------------------

void VKAPI_CALL bind_pipeline(VkCommandBuffer handle, VkPipelineBindPoint point,
                              VkPipeline pipeline) {
  CommandBuffer& commands = command_buffer(handle);
  if (auto* op = commands.ops.add<BindPipelineOp>(OpKind::bind_pipeline)) *op = {point, pipeline};
  if (commands.weighs && point == VK_PIPELINE_BIND_POINT_COMPUTE) [[unlikely]]
    commands.bound_cost = &commands.device->costs.of(pipeline);
  commands.next->CmdBindPipeline(handle, point, pipeline);
}

void VKAPI_CALL bind_sets(VkCommandBuffer handle, VkPipelineBindPoint point,
                          VkPipelineLayout layout, std::uint32_t first, std::uint32_t count,
                          const VkDescriptorSet* sets, std::uint32_t offset_count,
                          const std::uint32_t* offsets) {
  CommandBuffer& commands = command_buffer(handle);
  const std::size_t set_bytes = count * sizeof(VkDescriptorSet);
  if (auto* op = commands.ops.add<BindSetsOp>(OpKind::bind_sets,
                                              set_bytes + offset_count * sizeof(std::uint32_t))) {
    *op = {point, layout, first, count, offset_count};
    copy_list(OpList::behind(op), sets, count);
    copy_list(OpList::behind(op) + set_bytes, offsets, offset_count);
  }
  commands.next->CmdBindDescriptorSets(handle, point, layout, first, count, sets, offset_count,
                                       offsets);
}

void VKAPI_CALL push_constants(VkCommandBuffer handle, VkPipelineLayout layout,
                               VkShaderStageFlags stages, std::uint32_t offset, std::uint32_t size,
                               const void* values) {
  CommandBuffer& commands = command_buffer(handle);
  if (stages & VK_SHADER_STAGE_COMPUTE_BIT)
    if (auto* op = commands.ops.add<PushConstantsOp>(OpKind::push_constants, size)) {
      *op = {offset, size};
      std::memcpy(OpList::behind(op), values, size);
    }
  commands.next->CmdPushConstants(handle, layout, stages, offset, size, values);
}

void note_pushed(CommandBuffer& commands, VkPipelineBindPoint point, VkPipelineLayout layout,
                 std::uint32_t set, std::span<const PushedDescriptor> pushed) noexcept {
  auto* op = commands.ops.add<PushSetOp>(OpKind::push_set, pushed.size_bytes());
  if (!op) return;
  *op = {point, layout, set, static_cast<std::uint32_t>(pushed.size())};
  copy_list(OpList::behind(op), pushed.data(), pushed.size());
}

void VKAPI_CALL push_set(VkCommandBuffer handle, VkPipelineBindPoint point, VkPipelineLayout layout,
                         std::uint32_t set, std::uint32_t count,
                         const VkWriteDescriptorSet* writes) {
  CommandBuffer& commands = command_buffer(handle);
  commands.note([&] {
    std::vector<PushedDescriptor> pushed;
    for (std::uint32_t i = 0; i < count; ++i)
      for_each_written(writes[i],
                       [&](std::uint32_t binding, std::uint32_t element, const Descriptor& value) {
                         pushed.push_back({binding, element, value});
                       });
    note_pushed(commands, point, layout, set, pushed);
  });
  commands.next->CmdPushDescriptorSetKHR(handle, point, layout, set, count, writes);
}

void VKAPI_CALL push_set_by_template(VkCommandBuffer handle, VkDescriptorUpdateTemplate plan,
                                     VkPipelineLayout layout, std::uint32_t set, const void* data) {
  CommandBuffer& commands = command_buffer(handle);
  commands.note([&] {
    const UpdateTemplate* known = commands.device->update_templates.find(plan);
    if (!known) return;
    std::vector<PushedDescriptor> pushed;
    for_each_written(*known, data,
                     [&](std::uint32_t binding, std::uint32_t element, const Descriptor& value) {
                       pushed.push_back({binding, element, value});
                     });
    note_pushed(commands, known->point, layout, set, pushed);
  });
  commands.next->CmdPushDescriptorSetWithTemplateKHR(handle, plan, layout, set, data);
}

// --- dispatches ---------------------------------------------------------------------------------

void VKAPI_CALL dispatch(VkCommandBuffer handle, std::uint32_t x, std::uint32_t y,
                         std::uint32_t z) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands, x, y, z);
  if (auto* op = commands.ops.add<DispatchOp>(OpKind::dispatch)) *op = {{0, 0, 0}, {x, y, z}};
  commands.next->CmdDispatch(handle, x, y, z);
}

void VKAPI_CALL dispatch_base(VkCommandBuffer handle, std::uint32_t base_x, std::uint32_t base_y,
                              std::uint32_t base_z, std::uint32_t x, std::uint32_t y,
                              std::uint32_t z) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands, x, y, z);
  if (auto* op = commands.ops.add<DispatchOp>(OpKind::dispatch))
    *op = {{base_x, base_y, base_z}, {x, y, z}};
  commands.next->CmdDispatchBase(handle, base_x, base_y, base_z, x, y, z);
}

void VKAPI_CALL dispatch_indirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  if (auto* op = commands.ops.add<DispatchIndirectOp>(OpKind::dispatch_indirect))
    *op = {buffer, offset};
  commands.next->CmdDispatchIndirect(handle, buffer, offset);
}

// --- copies -------------------------------------------------------------------------------------

void VKAPI_CALL copy_buffer(VkCommandBuffer handle, VkBuffer from, VkBuffer to, std::uint32_t count,
                            const VkBufferCopy* regions) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  if (auto* op = commands.ops.add<CopyBufferOp>(OpKind::copy_buffer, count * sizeof *regions)) {
    *op = {from, to, count};
    copy_list(OpList::behind(op), regions, count);
  }
  commands.next->CmdCopyBuffer(handle, from, to, count, regions);
}

void VKAPI_CALL copy_buffer2(VkCommandBuffer handle, const VkCopyBufferInfo2* info) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  const std::uint32_t count = info->regionCount;
  if (auto* op =
          commands.ops.add<CopyBufferOp>(OpKind::copy_buffer, count * sizeof(VkBufferCopy))) {
    *op = {info->srcBuffer, info->dstBuffer, count};
    auto* regions = reinterpret_cast<VkBufferCopy*>(OpList::behind(op));
    for (std::uint32_t i = 0; i < count; ++i)
      regions[i] = {info->pRegions[i].srcOffset, info->pRegions[i].dstOffset,
                    info->pRegions[i].size};
  }
  commands.next->CmdCopyBuffer2(handle, info);
}

void VKAPI_CALL copy_image(VkCommandBuffer handle, VkImage from, VkImageLayout from_layout,
                           VkImage to, VkImageLayout to_layout, std::uint32_t count,
                           const VkImageCopy* regions) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  if (auto* op = commands.ops.add<CopyImageOp>(OpKind::copy_image, count * sizeof *regions)) {
    *op = {from, to, from_layout, to_layout, count};
    copy_list(OpList::behind(op), regions, count);
  }
  commands.next->CmdCopyImage(handle, from, from_layout, to, to_layout, count, regions);
}

void VKAPI_CALL copy_image2(VkCommandBuffer handle, const VkCopyImageInfo2* info) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  const std::uint32_t count = info->regionCount;
  if (auto* op = commands.ops.add<CopyImageOp>(OpKind::copy_image, count * sizeof(VkImageCopy))) {
    *op = {info->srcImage, info->dstImage, info->srcImageLayout, info->dstImageLayout, count};
    auto* regions = reinterpret_cast<VkImageCopy*>(OpList::behind(op));
    for (std::uint32_t i = 0; i < count; ++i) {
      const VkImageCopy2& one = info->pRegions[i];
      regions[i] = {one.srcSubresource, one.srcOffset, one.dstSubresource, one.dstOffset,
                    one.extent};
    }
  }
  commands.next->CmdCopyImage2(handle, info);
}

void note_pixels(CommandBuffer& commands, OpKind kind, VkBuffer buffer, VkImage image,
                 VkImageLayout layout, std::uint32_t count,
                 const VkBufferImageCopy* regions) noexcept {
  if (auto* op = commands.ops.add<CopyBufferImageOp>(kind, count * sizeof *regions)) {
    *op = {buffer, image, layout, count};
    copy_list(OpList::behind(op), regions, count);
  }
}

void note_pixels(CommandBuffer& commands, OpKind kind, VkBuffer buffer, VkImage image,
                 VkImageLayout layout, std::uint32_t count,
                 const VkBufferImageCopy2* regions) noexcept {
  if (auto* op = commands.ops.add<CopyBufferImageOp>(kind, count * sizeof(VkBufferImageCopy))) {
    *op = {buffer, image, layout, count};
    auto* list = reinterpret_cast<VkBufferImageCopy*>(OpList::behind(op));
    for (std::uint32_t i = 0; i < count; ++i) {
      const VkBufferImageCopy2& one = regions[i];
      list[i] = {one.bufferOffset,     one.bufferRowLength, one.bufferImageHeight,
                 one.imageSubresource, one.imageOffset,     one.imageExtent};
    }
  }
}

void VKAPI_CALL buffer_to_image(VkCommandBuffer handle, VkBuffer buffer, VkImage image,
                                VkImageLayout layout, std::uint32_t count,
                                const VkBufferImageCopy* regions) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  note_pixels(commands, OpKind::copy_buffer_to_image, buffer, image, layout, count, regions);
  commands.next->CmdCopyBufferToImage(handle, buffer, image, layout, count, regions);
}

void VKAPI_CALL buffer_to_image2(VkCommandBuffer handle, const VkCopyBufferToImageInfo2* info) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  note_pixels(commands, OpKind::copy_buffer_to_image, info->srcBuffer, info->dstImage,
              info->dstImageLayout, info->regionCount, info->pRegions);
  commands.next->CmdCopyBufferToImage2(handle, info);
}

void VKAPI_CALL image_to_buffer(VkCommandBuffer handle, VkImage image, VkImageLayout layout,
                                VkBuffer buffer, std::uint32_t count,
                                const VkBufferImageCopy* regions) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  note_pixels(commands, OpKind::copy_image_to_buffer, buffer, image, layout, count, regions);
  commands.next->CmdCopyImageToBuffer(handle, image, layout, buffer, count, regions);
}

void VKAPI_CALL image_to_buffer2(VkCommandBuffer handle, const VkCopyImageToBufferInfo2* info) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  note_pixels(commands, OpKind::copy_image_to_buffer, info->dstBuffer, info->srcImage,
              info->srcImageLayout, info->regionCount, info->pRegions);
  commands.next->CmdCopyImageToBuffer2(handle, info);
}

// --- fills and updates --------------------------------------------------------------------------

void VKAPI_CALL fill_buffer(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset,
                            VkDeviceSize size, std::uint32_t data) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  if (auto* op = commands.ops.add<FillBufferOp>(OpKind::fill_buffer))
    *op = {buffer, offset, size, data};
  commands.next->CmdFillBuffer(handle, buffer, offset, size, data);
}

void VKAPI_CALL update_buffer(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset,
                              VkDeviceSize size, const void* data) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  if (auto* op = commands.ops.add<UpdateBufferOp>(OpKind::update_buffer, size)) {
    *op = {buffer, offset, size};
    std::memcpy(OpList::behind(op), data, size);
  }
  commands.next->CmdUpdateBuffer(handle, buffer, offset, size, data);
}

void note_clear(CommandBuffer& commands, VkImage image, VkImageLayout layout,
                const VkClearColorValue* color, std::uint32_t count,
                const VkImageSubresourceRange* ranges) noexcept {
  if (auto* op = commands.ops.add<ClearImageOp>(OpKind::clear_image, count * sizeof *ranges)) {
    *op = {image, layout, color ? *color : VkClearColorValue{}, color ? 0u : 1u, count};
    copy_list(OpList::behind(op), ranges, count);
  }
}

// Each level of it; as many as the image has.
void keep_range(CommandBuffer& commands, VkImage handle, const VkImageSubresourceRange& range,
                VkImageLayout layout) noexcept {
  const Image* image = commands.device->images.find(handle);
  if (!image) return;
  const VkImageSubresourceRange part = in_numbers(*image->storage, range);
  for (std::uint32_t i = 0; i < part.levelCount; ++i)
    commands.keep(handle,
                  {part.aspectMask, part.baseMipLevel + i, part.baseArrayLayer, part.layerCount},
                  layout);
}

void VKAPI_CALL clear_color(VkCommandBuffer handle, VkImage image, VkImageLayout layout,
                            const VkClearColorValue* color, std::uint32_t count,
                            const VkImageSubresourceRange* ranges) {
  CommandBuffer& commands = command_buffer(handle);
  {
    const OwnStamps stamps(commands);
    note_clear(commands, image, layout, color, count, ranges);
    commands.next->CmdClearColorImage(handle, image, layout, color, count, ranges);
  }
  if (!commands.keeps_results || is_known_clear(*commands.device, image, *color)) [[likely]]
    return;
  for (std::uint32_t i = 0; i < count; ++i) keep_range(commands, image, ranges[i], layout);
}

void VKAPI_CALL clear_depth(VkCommandBuffer handle, VkImage image, VkImageLayout layout,
                            const VkClearDepthStencilValue* value, std::uint32_t count,
                            const VkImageSubresourceRange* ranges) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  note_clear(commands, image, layout, nullptr, count, ranges);
  commands.next->CmdClearDepthStencilImage(handle, image, layout, value, count, ranges);
}

// --- what nobody replays ------------------------------------------------------------------------

template <class Region>
VkImageBlit as_blit(const Region& region) noexcept {
  VkImageBlit blit{};
  blit.srcSubresource = region.srcSubresource;
  blit.dstSubresource = region.dstSubresource;
  if constexpr (requires { region.srcOffsets; }) {
    std::copy_n(region.srcOffsets, 2, blit.srcOffsets);
    std::copy_n(region.dstOffsets, 2, blit.dstOffsets);
  }
  return blit;
}

// Notes what one image gets of another, calls, and keeps what that left.
template <class Region, class Call>
void from_image_to_image(CommandBuffer& commands, ImageToImageOp what, VkImageLayout to_layout,
                         const Region* regions, Call&& call) noexcept {
  {
    const OwnStamps stamps(commands);
    if (auto* op = commands.ops.add<ImageToImageOp>(OpKind::image_to_image,
                                                    what.count * sizeof(VkImageBlit))) {
      *op = what;
      auto* list = reinterpret_cast<VkImageBlit*>(OpList::behind(op));
      for (std::uint32_t i = 0; i < what.count; ++i) list[i] = as_blit(regions[i]);
    }
    call();
  }
  if (!commands.keeps_results) [[likely]]
    return;
  for (std::uint32_t i = 0; i < what.count; ++i)
    commands.keep(what.to, regions[i].dstSubresource, to_layout);
}

void VKAPI_CALL blit(VkCommandBuffer handle, VkImage from, VkImageLayout from_layout, VkImage to,
                     VkImageLayout to_layout, std::uint32_t count, const VkImageBlit* regions,
                     VkFilter filter) {
  CommandBuffer& commands = command_buffer(handle);
  from_image_to_image(commands, {"vkCmdBlitImage", from, to, filter, false, count}, to_layout,
                      regions, [&] {
                        commands.next->CmdBlitImage(handle, from, from_layout, to, to_layout, count,
                                                    regions, filter);
                      });
}

void VKAPI_CALL blit2(VkCommandBuffer handle, const VkBlitImageInfo2* info) {
  CommandBuffer& commands = command_buffer(handle);
  from_image_to_image(
      commands,
      {"vkCmdBlitImage2", info->srcImage, info->dstImage, info->filter, false, info->regionCount},
      info->dstImageLayout, info->pRegions, [&] { commands.next->CmdBlitImage2(handle, info); });
}

void VKAPI_CALL resolve(VkCommandBuffer handle, VkImage from, VkImageLayout from_layout, VkImage to,
                        VkImageLayout to_layout, std::uint32_t count,
                        const VkImageResolve* regions) {
  CommandBuffer& commands = command_buffer(handle);
  from_image_to_image(commands, {"vkCmdResolveImage", from, to, VK_FILTER_NEAREST, true, count},
                      to_layout, regions, [&] {
                        commands.next->CmdResolveImage(handle, from, from_layout, to, to_layout,
                                                       count, regions);
                      });
}

void VKAPI_CALL resolve2(VkCommandBuffer handle, const VkResolveImageInfo2* info) {
  CommandBuffer& commands = command_buffer(handle);
  from_image_to_image(commands,
                      {"vkCmdResolveImage2", info->srcImage, info->dstImage, VK_FILTER_NEAREST,
                       true, info->regionCount},
                      info->dstImageLayout, info->pRegions,
                      [&] { commands.next->CmdResolveImage2(handle, info); });
}

// Times and counts are others whenever it runs.
void VKAPI_CALL copy_queries(VkCommandBuffer handle, VkQueryPool pool, std::uint32_t first,
                             std::uint32_t count, VkBuffer buffer, VkDeviceSize offset,
                             VkDeviceSize stride, VkQueryResultFlags flags) {
  CommandBuffer& commands = command_buffer(handle);
  const OwnStamps stamps(commands);
  if (auto* op = commands.ops.add<QueryCopyOp>(OpKind::query_copy)) {
    const VkDeviceSize one = flags & VK_QUERY_RESULT_64_BIT ? 8 : 4;
    const VkDeviceSize each = flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT ? 2 * one : one;
    *op = {buffer, offset, count ? (count - 1) * stride + std::max(each, stride) : 0};
  }
  commands.next->CmdCopyQueryPoolResults(handle, pool, first, count, buffer, offset, stride, flags);
}

void VKAPI_CALL begin_condition(VkCommandBuffer handle,
                                const VkConditionalRenderingBeginInfoEXT* info) {
  CommandBuffer& commands = command_buffer(handle);
  if (auto* op = commands.ops.add<BeginConditionOp>(OpKind::begin_condition))
    *op = {info->buffer, info->offset,
           (info->flags & VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT) != 0};
  commands.next->CmdBeginConditionalRenderingEXT(handle, info);
}

void VKAPI_CALL end_condition(VkCommandBuffer handle) {
  CommandBuffer& commands = command_buffer(handle);
  commands.ops.add<EndConditionOp>(OpKind::end_condition);
  commands.next->CmdEndConditionalRenderingEXT(handle);
}

void VKAPI_CALL execute(VkCommandBuffer handle, std::uint32_t count,
                        const VkCommandBuffer* buffers) {
  CommandBuffer& commands = command_buffer(handle);
  if (auto* op = commands.ops.add<ExecuteOp>(OpKind::execute, count * sizeof *buffers)) {
    *op = {count};
    copy_list(OpList::behind(op), buffers, count);
  }
  if (commands.weighs) commands.since_stamp_ns = WorkCosts::unknown_ns;
  commands.next->CmdExecuteCommands(handle, count, buffers);
}

}  // namespace

std::span<const Hook> command_hooks() {
  static const Hook hooks[] = {
      {"vkCmdBindPipeline", bind_pipeline},
      {"vkCmdBindDescriptorSets", bind_sets},
      {"vkCmdPushConstants", push_constants},
      {"vkCmdPushDescriptorSetKHR", push_set},
      {"vkCmdPushDescriptorSetWithTemplateKHR", push_set_by_template},
      {"vkCmdDispatch", dispatch},
      {"vkCmdDispatchBase", dispatch_base},
      {"vkCmdDispatchBaseKHR", dispatch_base},
      {"vkCmdDispatchIndirect", dispatch_indirect},
      {"vkCmdCopyBuffer", copy_buffer},
      {"vkCmdCopyBuffer2", copy_buffer2},
      {"vkCmdCopyBuffer2KHR", copy_buffer2},
      {"vkCmdCopyImage", copy_image},
      {"vkCmdCopyImage2", copy_image2},
      {"vkCmdCopyImage2KHR", copy_image2},
      {"vkCmdCopyBufferToImage", buffer_to_image},
      {"vkCmdCopyBufferToImage2", buffer_to_image2},
      {"vkCmdCopyBufferToImage2KHR", buffer_to_image2},
      {"vkCmdCopyImageToBuffer", image_to_buffer},
      {"vkCmdCopyImageToBuffer2", image_to_buffer2},
      {"vkCmdCopyImageToBuffer2KHR", image_to_buffer2},
      {"vkCmdFillBuffer", fill_buffer},
      {"vkCmdUpdateBuffer", update_buffer},
      {"vkCmdClearColorImage", clear_color},
      {"vkCmdClearDepthStencilImage", clear_depth},
      {"vkCmdBlitImage", blit},
      {"vkCmdBlitImage2", blit2},
      {"vkCmdBlitImage2KHR", blit2},
      {"vkCmdResolveImage", resolve},
      {"vkCmdResolveImage2", resolve2},
      {"vkCmdResolveImage2KHR", resolve2},
      {"vkCmdCopyQueryPoolResults", copy_queries},
      {"vkCmdBeginConditionalRenderingEXT", begin_condition},
      {"vkCmdEndConditionalRenderingEXT", end_condition},
      {"vkCmdExecuteCommands", execute},
  };
  return hooks;
}

}  // namespace reel::layer::vk
