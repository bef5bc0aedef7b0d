#include "backends/vulkan/work/recorder.hpp"

#include <algorithm>
#include <cstring>

#include "backends/vulkan/device/result.hpp"

namespace reel::vulkan {
namespace {

// Where commands touch buffers. Indirect comes first too: its reads must end before a write.
constexpr VkPipelineStageFlags device_stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
                                               VK_PIPELINE_STAGE_TRANSFER_BIT |
                                               VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
constexpr std::uint64_t largest_update_bytes = 65536;  // of vkCmdUpdateBuffer

bool is_word_aligned(std::uint64_t offset, std::uint64_t size) {
  return offset % 4 == 0 && size % 4 == 0;
}

}  // namespace

void Recorder::begin(VkCommandBuffer commands, VkCommandBufferUsageFlags usage,
                     DescriptorGeneration& descriptors) {
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = usage;
  check(vk_.vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  commands_ = commands;
  descriptors_ = &descriptors;
  pipeline_ = VK_NULL_HANDLE;
  set_layout_ = value_layout_ = nullptr;
}

void Recorder::end() {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                         VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_HOST_READ_BIT |
                         VK_ACCESS_HOST_WRITE_BIT;
  vk_.vkCmdPipelineBarrier(commands_, device_stages, device_stages | VK_PIPELINE_STAGE_HOST_BIT, 0,
                           1, &memory, 0, nullptr, 0, nullptr);
  check(vk_.vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
  commands_ = VK_NULL_HANDLE;
}

void Recorder::barrier() {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                         VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
  vk_.vkCmdPipelineBarrier(commands_, device_stages, device_stages, 0, 1, &memory, 0, nullptr, 0,
                           nullptr);
}

void Recorder::dispatch(const Dispatch& dispatch) {
  if (!dispatch.indirect.buffer && dispatch.groups.count() == 0) return;
  bind(static_cast<const VulkanKernel&>(*dispatch.kernel), dispatch);
  if (dispatch.indirect.buffer)
    vk_.vkCmdDispatchIndirect(commands_, buffer_of(dispatch.indirect).handle,
                              dispatch.indirect.offset_bytes);
  else
    vk_.vkCmdDispatch(commands_, dispatch.groups.x, dispatch.groups.y, dispatch.groups.z);
}

void Recorder::bind(const VulkanKernel& kernel, const Dispatch& dispatch) {
  const Layout& layout = *kernel.layout;
  if (pipeline_ != kernel.pipeline) {
    vk_.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
    pipeline_ = kernel.pipeline;
  }
  std::array<Binding, max_buffers> bindings;  // only the first `buffers` are set
  std::array<VkDescriptorBufferInfo, max_buffers> infos;
  std::array<std::byte, max_value_block_bytes> values;
  std::memset(values.data(), 0, layout.value_bytes);
  std::size_t buffers = 0, value = 0;
  for (const Argument& argument : dispatch.arguments) {
    if (argument.kind == ArgumentKind::buffer) {
      const BufferRange& range = argument.range;
      const VulkanBuffer& buffer = buffer_of(range);
      // Vulkan binds no empty range. Every buffer has 16 bytes, which nobody may touch then.
      const bool empty = range.size_bytes == 0;
      const std::uint64_t offset = empty ? 0 : range.offset_bytes;
      const std::uint64_t size = empty ? 4 : range.size_bytes;
      bindings[buffers] = {buffer.serial, offset, size};
      infos[buffers++] = {buffer.handle, offset, size};
    } else if (argument.kind == ArgumentKind::value) {
      const ShaderValue& to = kernel.values[value++];
      std::memcpy(values.data() + to.offset_bytes, argument.value().data(),
                  std::min(to.size_bytes, argument.value_bytes));
    }
  }
  if (buffers && (set_layout_ != &layout ||
                  !std::equal(bindings.begin(), bindings.begin() + buffers, bindings_.begin()))) {
    const VkDescriptorSet set = descriptors_->find_or_write(
        layout, std::span<const Binding>(bindings.data(), buffers), infos.data());
    vk_.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline, 0, 1,
                                &set, 0, nullptr);
    std::copy_n(bindings.begin(), buffers, bindings_.begin());
    set_layout_ = &layout;
  }
  if (layout.value_bytes && (value_layout_ != &layout ||
                             std::memcmp(values.data(), values_.data(), layout.value_bytes) != 0)) {
    vk_.vkCmdPushConstants(commands_, layout.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           layout.value_bytes, values.data());
    std::memcpy(values_.data(), values.data(), layout.value_bytes);
    value_layout_ = &layout;
  }
}

void Recorder::copy_bytes(VkBuffer source, std::uint64_t source_offset, VkBuffer target,
                          std::uint64_t target_offset, std::uint64_t size) {
  const VkBufferCopy region{source_offset, target_offset, size};
  vk_.vkCmdCopyBuffer(commands_, source, target, 1, &region);
}

void Recorder::copy(const Copy& copy) {
  if (copy.source.size_bytes == 0) return;
  copy_bytes(buffer_of(copy.source).handle, copy.source.offset_bytes, buffer_of(copy.target).handle,
             copy.target.offset_bytes, copy.source.size_bytes);
}

// Fills are done in words; up to three bytes at either end are copied from a staged pattern.
void Recorder::fill(const Fill& fill, StagingArena& staging) {
  const std::uint64_t begin = fill.target.offset_bytes, end = begin + fill.target.size_bytes;
  const std::uint64_t first_word = (begin + 3) / 4 * 4, last_word = end / 4 * 4;
  const VkBuffer target = buffer_of(fill.target).handle;
  // The byte that belongs at `offset`: the pattern starts with the range, not with a word.
  const auto byte_at = [&](std::uint64_t offset) {
    return std::byte(fill.pattern >> (8 * ((offset - begin) % fill.pattern_bytes)));
  };
  const auto copy_edge = [&](std::uint64_t from, std::uint64_t to) {
    if (from >= to) return;
    const StagingRange edge = staging.take(to - from);
    for (std::uint64_t i = from; i < to; ++i) edge.bytes[i - from] = byte_at(i);
    copy_bytes(edge.buffer, edge.offset, target, from, to - from);
  };
  if (first_word >= last_word) return copy_edge(begin, end);
  copy_edge(begin, first_word);
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 4; ++i)
    word |= std::to_integer<std::uint32_t>(byte_at(first_word + i)) << (8 * i);
  vk_.vkCmdFillBuffer(commands_, target, first_word, last_word - first_word, word);
  copy_edge(last_word, end);
}

void Recorder::write(const Write& write, StagingArena& staging) {
  const std::uint64_t size = write.data.size();
  if (size == 0) return;
  const VkBuffer target = buffer_of(write.target).handle;
  const std::uint64_t offset = write.target.offset_bytes;
  if (size <= largest_update_bytes && is_word_aligned(offset, size)) {
    vk_.vkCmdUpdateBuffer(commands_, target, offset, size, write.data.data());
    return;
  }
  const StagingRange staged = staging.take(size);
  std::memcpy(staged.bytes, write.data.data(), size);
  copy_bytes(staged.buffer, staged.offset, target, offset, size);
}

void Recorder::read(const Read& read, StagingArena& staging, std::vector<ReadBack>& read_backs) {
  const std::uint64_t size = read.target.size();
  if (size == 0) return;
  const StagingRange staged = staging.take(size);
  copy_bytes(buffer_of(read.source).handle, read.source.offset_bytes, staged.buffer, staged.offset,
             size);
  read_backs.push_back({staged.bytes, read.target});
}

void Recorder::reset_stamps(VkQueryPool queries, std::uint32_t first, std::uint32_t count) {
  vk_.vkCmdResetQueryPool(commands_, queries, first, count);
}

void Recorder::stamp(VkQueryPool queries, std::uint32_t query, VkPipelineStageFlagBits after) {
  vk_.vkCmdWriteTimestamp(commands_, after, queries, query);
}

void Recorder::copy_stamps(VkQueryPool queries, std::uint32_t first, std::uint32_t count,
                           VkBuffer target, std::uint64_t offset) {
  vk_.vkCmdCopyQueryPoolResults(commands_, queries, first, count, target, offset,
                                sizeof(std::uint64_t),
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
}

}  // namespace reel::vulkan
