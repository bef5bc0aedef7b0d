#include "backends/vulkan/work/recorder.hpp"

#include <algorithm>
#include <cstring>

#include "backends/vulkan/device/result.hpp"
#include "backends/vulkan/kernels/sampler_cache.hpp"

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
  set_layout_ = value_layout_ = declared_layout_ = nullptr;
}

void Recorder::end() {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                         VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT |
                         VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT;
  vk_.vkCmdPipelineBarrier(commands_, device_stages, device_stages | VK_PIPELINE_STAGE_HOST_BIT, 0,
                           1, &memory, 0, nullptr, 0, nullptr);
  check(vk_.vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
  commands_ = VK_NULL_HANDLE;
}

void Recorder::barrier() { barrier(device_stages, 0); }

void Recorder::barrier_of_predicates() {
  barrier(device_stages | VK_PIPELINE_STAGE_CONDITIONAL_RENDERING_BIT_EXT,
          VK_ACCESS_CONDITIONAL_RENDERING_READ_BIT_EXT);
}

void Recorder::barrier(VkPipelineStageFlags stages, VkAccessFlags more_reads) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                         VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT |
                         more_reads;
  vk_.vkCmdPipelineBarrier(commands_, stages, stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void Recorder::begin_predicate(VkBuffer buffer, const Predicate& predicate) {
  VkConditionalRenderingBeginInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT;
  info.buffer = buffer;
  info.offset = predicate.offset_bytes;
  if (predicate.skips_unless_zero) info.flags = VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT;
  vk_.vkCmdBeginConditionalRenderingEXT(commands_, &info);
}

void Recorder::end_predicate() { vk_.vkCmdEndConditionalRenderingEXT(commands_); }

void Recorder::clear_words(VkBuffer target, std::uint64_t offset, std::uint64_t size) {
  vk_.vkCmdFillBuffer(commands_, target, offset, size, 0);
}

void Recorder::dispatch(const Dispatch& dispatch, StagingArena& staging) {
  if (is_nothing(dispatch)) return;
  bind(static_cast<const VulkanKernel&>(*dispatch.kernel), dispatch, staging);
  if (dispatch.predicate) [[unlikely]] {
    // The barriers between commands are not for predicates, which most programs have none of.
    barrier_of_predicates();
    begin_predicate(buffer_of(dispatch.predicate.word).handle,
                    {dispatch.predicate.word.offset_bytes, dispatch.predicate.is_inverted});
    run(dispatch);
    end_predicate();
    return barrier_of_predicates();  // what is written next may be the word
  }
  run(dispatch);
}

void Recorder::run(const Dispatch& dispatch) {
  if (dispatch.indirect.buffer)
    vk_.vkCmdDispatchIndirect(commands_, buffer_of(dispatch.indirect).handle,
                              dispatch.indirect.offset_bytes);
  else if (dispatch.offset != unset_dim)
    vk_.vkCmdDispatchBase(commands_, dispatch.offset.x / dispatch.group_size.x,
                          dispatch.offset.y / dispatch.group_size.y,
                          dispatch.offset.z / dispatch.group_size.z, dispatch.groups.x,
                          dispatch.groups.y, dispatch.groups.z);
  else
    vk_.vkCmdDispatch(commands_, dispatch.groups.x, dispatch.groups.y, dispatch.groups.z);
}

void Recorder::bind(const VulkanKernel& kernel, const Dispatch& dispatch, StagingArena& staging) {
  bind_pipeline(kernel);
  if (kernel.is_declared)
    bind_declared(kernel, dispatch, staging);
  else
    bind_by_position(kernel, dispatch.arguments);
}

namespace {

// Vulkan binds no empty range. Every buffer has 16 bytes, which nobody may touch then.
inline Binding binding_of(const BufferRange& range) {
  const bool empty = range.size_bytes == 0;
  return {buffer_of(range).serial, empty ? 0 : range.offset_bytes, empty ? 4 : range.size_bytes};
}

// Whether there was anything else. Most values have 4 or 8 bytes, for which calls take longer than
// what they do.
inline bool put(std::byte* to, const std::byte* from, std::size_t size) {
  const auto put_as = [&]<class T>(T before) {
    T now;
    std::memcpy(&before, to, sizeof before);
    std::memcpy(&now, from, sizeof now);
    std::memcpy(to, &now, sizeof now);
    return before != now;
  };
  if (size == 4) return put_as(std::uint32_t{});
  if (size == 8) return put_as(std::uint64_t{});
  if (std::memcmp(to, from, size) == 0) return false;
  std::memcpy(to, from, size);
  return true;
}

}  // namespace

void Recorder::bind_by_position(const VulkanKernel& kernel, std::span<const Argument> arguments) {
  const Layout& layout = *kernel.layout;
  bool other_buffers = set_layout_ != &layout, other_values = false;
  if (layout.value_bytes && value_layout_ != &layout) {
    std::memset(values_.data(), 0, layout.value_bytes);
    other_values = true;
  }
  std::size_t buffers = 0, value = 0;
  for (const Argument& argument : arguments) {
    if (argument.kind == ArgumentKind::buffer) {
      const Binding binding = binding_of(argument.range);
      Binding& bound = bindings_[buffers++];
      if (bound == binding) continue;
      bound = binding;
      other_buffers = true;
    } else if (argument.kind == ArgumentKind::value) {
      const spirv::Value& to = kernel.values[value++];
      if (put(values_.data() + to.offset_bytes, argument.value().data(),
              std::min(to.size_bytes, argument.value_bytes)))
        other_values = true;
    }
  }
  if (other_values) value_layout_ = nullptr;  // should binding fail
  if (buffers && other_buffers) bind_set(layout, arguments, buffers);
  if (!other_values) return;
  vk_.vkCmdPushConstants(commands_, layout.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                         layout.value_bytes, values_.data());
  value_layout_ = &layout;
}

void Recorder::bind_set(const Layout& layout, std::span<const Argument> arguments,
                        std::size_t buffers) {
  set_layout_ = nullptr;  // should it fail
  const std::span<const Binding> bindings(bindings_.data(), buffers);
  VkDescriptorSet set = descriptors_->find(layout.sets[0], bindings);
  if (!set) [[unlikely]]
    set = write_set(layout, arguments, bindings);
  vk_.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline, 0, 1,
                              &set, 0, nullptr);
  set_layout_ = &layout;
  declared_layout_ = nullptr;
}

VkDescriptorSet Recorder::write_set(const Layout& layout, std::span<const Argument> arguments,
                                    std::span<const Binding> bindings) {
  std::array<DescriptorInfo, max_buffers> infos;
  std::size_t at = 0;
  for (const Argument& argument : arguments) {
    if (argument.kind != ArgumentKind::buffer) continue;
    infos[at].buffer = {buffer_of(argument.range).handle, bindings[at].offset, bindings[at].size};
    ++at;
  }
  return descriptors_->write(layout.sets[0], bindings, infos.data());
}

void Recorder::push(const Layout& layout, const std::byte* values) {
  if (layout.value_bytes == 0) return;
  if (value_layout_ == &layout && std::memcmp(values, values_.data(), layout.value_bytes) == 0)
    return;
  vk_.vkCmdPushConstants(commands_, layout.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                         layout.value_bytes, values);
  std::memcpy(values_.data(), values, layout.value_bytes);
  value_layout_ = &layout;
}

void Recorder::bind_declared(const VulkanKernel& kernel, const Dispatch& dispatch,
                             StagingArena& staging) {
  const Layout& layout = *kernel.layout;
  gather(kernel, dispatch, staging);
  if (declared_layout_ != &layout || gathered_ != declared_) {
    std::size_t first = 0;
    for (const SetLayout& set : layout.sets) {
      if (set.descriptors == 0) continue;
      const std::span bindings =
          std::span<const Binding>(gathered_).subspan(first, set.descriptors);
      VkDescriptorSet found = descriptors_->find(set, bindings);
      if (!found) found = descriptors_->write(set, bindings, infos_.data() + first);
      vk_.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline,
                                  set.number, 1, &found, 0, nullptr);
      first += set.descriptors;
    }
    declared_.swap(gathered_);
    declared_layout_ = &layout;
    set_layout_ = nullptr;
  }
  // Behind those of its parameters are buffers that it finds by their addresses.
  if (layout.value_bytes) push(layout, dispatch.arguments[kernel.places.size() - 1].value().data());
}

void Recorder::gather_bytes(std::span<const std::byte> bytes, StagingArena& staging,
                            Binding& binding, VkDescriptorBufferInfo& info) const {
  const std::uint64_t step = context_.physical.limits.minUniformBufferOffsetAlignment;
  const StagingRange room = staging.take(bytes.size() + step);
  const std::uint64_t begin = (room.offset + step - 1) / step * step;
  std::memcpy(room.bytes + (begin - room.offset), bytes.data(), bytes.size());
  // The memory serves others later: no set that was written for it is to be found again.
  binding = {new_serial(), begin, bytes.size()};
  info = {room.buffer, begin, bytes.size()};
}

void Recorder::gather(const VulkanKernel& kernel, const Dispatch& dispatch, StagingArena& staging) {
  std::size_t count = 0;
  for (const SetLayout& set : kernel.layout->sets) count += set.descriptors;
  gathered_.assign(count, {});
  infos_.assign(count, {});
  for (std::size_t i = 0; i < kernel.places.size(); ++i) {
    const Argument& argument = dispatch.arguments[i];
    const Place& place = kernel.places[i];
    if (kernel.parameters[i].kind == ArgumentKind::value) continue;  // the push constants
    Binding& binding = gathered_[place.descriptor];
    DescriptorInfo& info = infos_[place.descriptor];
    if (argument.kind == ArgumentKind::buffer) {
      const BufferRange& range = argument.range;
      binding = {buffer_of(range).serial, range.offset_bytes, range.size_bytes};
      info.buffer = {buffer_of(range).handle, range.offset_bytes, range.size_bytes};
    } else if (argument.kind == ArgumentKind::value) {
      gather_bytes(argument.value(), staging, binding, info.buffer);
    } else if (argument.kind == ArgumentKind::image) {
      VulkanBuffer& image = buffer_of(argument.range);
      binding.serial = image.serial;
      binding.offset = static_cast<std::uint64_t>(place.view);
      if (image.picture) {
        info.image.imageView = image.views->get(place.view);
        info.image.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
      } else {
        info.texels = image.texels;
      }
    } else if (argument.kind == ArgumentKind::sampler) {
      const Sampler sampler = context_.samplers->get(argument.value());
      binding.size = sampler.number;
      info.image.sampler = sampler.handle;
    } else if (kernel.parameters[i].kind == ArgumentKind::buffer) {
      // Nothing is bound here, and the shader doesn't look.
      const bool can_be_null = context_.features.robustness2.nullDescriptor;
      info.buffer = {can_be_null ? VK_NULL_HANDLE : context_.nothing(), 0, VK_WHOLE_SIZE};
    } else if (kernel.parameters[i].kind == ArgumentKind::sampler) {
      const SamplerState usual;
      const Sampler sampler = context_.samplers->get(std::as_bytes(std::span(&usual, 1)));
      binding.size = sampler.number;
      info.image.sampler = sampler.handle;
    }
  }
}

void Recorder::between_copies() {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT;
  memory.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  vk_.vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_TRANSFER_BIT,
                           VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

namespace {

// Whole pixels around a range of an image's bytes, and room for them where a
// copy may begin.
struct Pixels {
  std::uint64_t begin, end;
  bool is_exact;  // the range is whole pixels

  Pixels(const BufferRange& range, std::uint32_t pixel)
      : begin(range.offset_bytes / pixel * pixel),
        end((range.offset_bytes + range.size_bytes + pixel - 1) / pixel * pixel),
        is_exact(begin == range.offset_bytes && end == begin + range.size_bytes) {}

  StagingRange room(StagingArena& staging, std::uint32_t pixel) const {
    StagingRange range = staging.take(end - begin + 4 * pixel);
    const std::uint64_t step = 4ull * pixel;  // of 4 bytes, and of pixels
    const std::uint64_t aligned = (range.offset + step - 1) / step * step;
    range.bytes += aligned - range.offset;
    range.offset = aligned;
    return range;
  }
};

bool may_begin(std::uint64_t offset, std::uint32_t pixel) {
  return offset % pixel == 0 && offset % 4 == 0;
}

}  // namespace

void Recorder::copy_from_image(const BufferRange& source, VkBuffer target,
                               std::uint64_t target_offset, StagingArena& staging) {
  const VulkanImage& image = *buffer_of(source).picture;
  const std::uint32_t pixel = image.shape().pixel_bytes;
  const Pixels pixels(source, pixel);
  const auto take = [&](VkBuffer to, std::uint64_t offset) {
    const auto boxes = image.boxes(pixels.begin, pixels.end - pixels.begin, offset);
    vk_.vkCmdCopyImageToBuffer(commands_, image.handle(), VK_IMAGE_LAYOUT_GENERAL, to,
                               static_cast<std::uint32_t>(boxes.size()), boxes.data());
  };
  if (pixels.is_exact && may_begin(target_offset, pixel)) return take(target, target_offset);
  const StagingRange room = pixels.room(staging, pixel);
  take(room.buffer, room.offset);
  between_copies();
  copy_bytes(room.buffer, room.offset + source.offset_bytes - pixels.begin, target, target_offset,
             source.size_bytes);
}

void Recorder::copy_to_image(VkBuffer source, std::uint64_t source_offset,
                             const BufferRange& target, StagingArena& staging) {
  const VulkanImage& image = *buffer_of(target).picture;
  const std::uint32_t pixel = image.shape().pixel_bytes;
  const Pixels pixels(target, pixel);
  const auto boxes_at = [&](std::uint64_t offset) {
    return image.boxes(pixels.begin, pixels.end - pixels.begin, offset);
  };
  const auto give = [&](VkBuffer from, std::uint64_t offset) {
    const auto boxes = boxes_at(offset);
    vk_.vkCmdCopyBufferToImage(commands_, from, image.handle(), VK_IMAGE_LAYOUT_GENERAL,
                               static_cast<std::uint32_t>(boxes.size()), boxes.data());
  };
  if (pixels.is_exact && may_begin(source_offset, pixel)) return give(source, source_offset);
  const StagingRange room = pixels.room(staging, pixel);
  if (!pixels.is_exact) {  // what stays of the first and the last pixel
    const auto boxes = boxes_at(room.offset);
    vk_.vkCmdCopyImageToBuffer(commands_, image.handle(), VK_IMAGE_LAYOUT_GENERAL, room.buffer,
                               static_cast<std::uint32_t>(boxes.size()), boxes.data());
    between_copies();
  }
  copy_bytes(source, source_offset, room.buffer, room.offset + target.offset_bytes - pixels.begin,
             target.size_bytes);
  between_copies();
  give(room.buffer, room.offset);
}

void Recorder::copy_bytes(VkBuffer source, std::uint64_t source_offset, VkBuffer target,
                          std::uint64_t target_offset, std::uint64_t size) {
  const VkBufferCopy region{source_offset, target_offset, size};
  vk_.vkCmdCopyBuffer(commands_, source, target, 1, &region);
}

void Recorder::copy(const Copy& copy, StagingArena& staging) {
  if (copy.source.size_bytes == 0) return;
  const VulkanBuffer &from = buffer_of(copy.source), &to = buffer_of(copy.target);
  if (from.picture && to.picture) {
    const std::uint32_t pixel = to.picture->shape().pixel_bytes;
    const StagingRange room = Pixels(copy.target, pixel).room(staging, pixel);
    copy_from_image(copy.source, room.buffer, room.offset, staging);
    between_copies();
    return copy_to_image(room.buffer, room.offset, copy.target, staging);
  }
  if (from.picture)
    return copy_from_image(copy.source, to.handle, copy.target.offset_bytes, staging);
  if (to.picture) return copy_to_image(from.handle, copy.source.offset_bytes, copy.target, staging);
  copy_bytes(buffer_of(copy.source).handle, copy.source.offset_bytes, buffer_of(copy.target).handle,
             copy.target.offset_bytes, copy.source.size_bytes);
}

// Fills are done in words; up to three bytes at either end are copied from a staged pattern.
void Recorder::fill(const Fill& fill, StagingArena& staging) {
  const std::uint64_t begin = fill.target.offset_bytes, end = begin + fill.target.size_bytes;
  const std::uint64_t first_word = (begin + 3) / 4 * 4, last_word = end / 4 * 4;
  if (const VulkanBuffer& image = buffer_of(fill.target); image.picture) {
    const std::uint32_t pixel = image.picture->shape().pixel_bytes;
    const StagingRange room = Pixels(fill.target, pixel).room(staging, pixel);
    for (std::uint64_t i = 0; i < fill.target.size_bytes; ++i)
      room.bytes[i] = std::byte(fill.pattern >> (8 * (i % fill.pattern_bytes)));
    return copy_to_image(room.buffer, room.offset, fill.target, staging);
  }
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
  if (const VulkanBuffer& image = buffer_of(write.target); image.picture) {
    const std::uint32_t pixel = image.picture->shape().pixel_bytes;
    const StagingRange room = Pixels(write.target, pixel).room(staging, pixel);
    std::memcpy(room.bytes, write.data.data(), size);
    return copy_to_image(room.buffer, room.offset, write.target, staging);
  }
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
  if (const VulkanBuffer& image = buffer_of(read.source); image.picture) {
    const std::uint32_t pixel = image.picture->shape().pixel_bytes;
    const StagingRange room = Pixels(read.source, pixel).room(staging, pixel);
    copy_from_image(read.source, room.buffer, room.offset, staging);
    read_backs.push_back({room.bytes, read.target});
    return;
  }
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
