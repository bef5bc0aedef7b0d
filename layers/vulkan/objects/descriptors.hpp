// descriptors.hpp - layouts, sets and templates of descriptors.
//
// A set keeps what was last written to each element of its bindings. Without update-after-bind a
// set may not change between its being recorded and its use, and with it the last write counts:
// what a set has when it is submitted is what commands find.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "layers/vulkan/device.hpp"
#include "layers/vulkan/objects/op_list.hpp"

namespace reel::layer::vk {

struct SetLayout final : Object {
  struct Binding {
    std::uint32_t number = 0, count = 0;  // of elements; of an inline block: its bytes
    VkDescriptorType type{};
    std::uint32_t first = 0;                // of its elements in a set
    std::vector<VkSampler> immutable = {};  // empty: none
  };
  std::vector<Binding> bindings;  // by number
  std::uint32_t elements = 0;
  bool has_variable_count = false;  // of the last binding
  bool is_pushed = false;

  const Binding* find(std::uint32_t number) const noexcept {
    const auto found = std::ranges::lower_bound(bindings, number, {}, &Binding::number);
    return found != bindings.end() && found->number == number ? &*found : nullptr;
  }
};

struct PipelineLayout final : Object {
  std::vector<std::shared_ptr<SetLayout>> sets;  // null where there is none
  std::uint32_t push_bytes = 0;
};

struct DescriptorSet final : Object {
  std::shared_ptr<SetLayout> layout;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  std::vector<Descriptor> elements;
  std::uint32_t last_count = 0;  // of the binding whose count is variable
};

struct DescriptorPool final : Object {
  std::mutex mutex;
  std::vector<VkDescriptorSet> sets;
};

struct UpdateTemplate final : Object {
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
  bool is_pushed = false;
  VkPipelineBindPoint point{};
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::uint32_t set = 0;
};

// visit(binding, element, const Descriptor&) for each descriptor that is written. Elements past the
// end of a binding go on in the next one, as Vulkan has it; `layout` knows where.
template <class F>
void for_each_written(const VkWriteDescriptorSet& write, F&& visit) {
  for (std::uint32_t i = 0; i < write.descriptorCount; ++i) {
    Descriptor value;
    value.type = write.descriptorType;
    switch (write.descriptorType) {
      case VK_DESCRIPTOR_TYPE_SAMPLER:
      case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
      case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        if (!write.pImageInfo) return;
        value.view = write.pImageInfo[i].imageView;
        value.layout = write.pImageInfo[i].imageLayout;
        value.sampler = write.pImageInfo[i].sampler;
        break;
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        if (!write.pBufferInfo) return;
        value.buffer = write.pBufferInfo[i].buffer;
        value.offset = write.pBufferInfo[i].offset;
        value.range = write.pBufferInfo[i].range;
        break;
      case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
      case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        if (!write.pTexelBufferView) return;
        value.texels = write.pTexelBufferView[i];
        break;
      case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK: {  // counts bytes
        const auto* block = find_in<VkWriteDescriptorSetInlineUniformBlock>(
            write.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
        if (!block || i >= block->dataSize) return;
        value.range = static_cast<const unsigned char*>(block->pData)[i];
        break;
      }
      default:
        return;  // others: nobody replays those
    }
    visit(write.dstBinding, write.dstArrayElement + i, value);
  }
}

template <class F>
void for_each_written(const UpdateTemplate& plan, const void* data, F&& visit) {
  for (const VkDescriptorUpdateTemplateEntry& entry : plan.entries) {
    const bool is_block = entry.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
    for (std::uint32_t i = 0; i < (is_block ? 1 : entry.descriptorCount); ++i) {
      const auto* at = static_cast<const std::byte*>(data) + entry.offset + i * entry.stride;
      VkWriteDescriptorSet write{};
      write.dstBinding = entry.dstBinding;
      write.dstArrayElement = entry.dstArrayElement + i;
      write.descriptorCount = is_block ? entry.descriptorCount : 1;
      write.descriptorType = entry.descriptorType;
      write.pImageInfo = reinterpret_cast<const VkDescriptorImageInfo*>(at);
      write.pBufferInfo = reinterpret_cast<const VkDescriptorBufferInfo*>(at);
      write.pTexelBufferView = reinterpret_cast<const VkBufferView*>(at);
      VkWriteDescriptorSetInlineUniformBlock block{};
      block.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK;
      block.dataSize = entry.descriptorCount;
      block.pData = at;
      if (is_block) write.pNext = &block;
      for_each_written(write, visit);
    }
  }
}

// Where an element is in a set; none: the layout has no such one.
inline std::optional<std::uint32_t> place_of(const SetLayout& layout, std::uint32_t binding,
                                             std::uint32_t element, std::uint32_t elements) {
  const SetLayout::Binding* found = layout.find(binding);
  if (!found) return std::nullopt;
  const std::uint32_t place = found->first + element;  // may be of one of the next bindings
  return place < elements ? std::optional(place) : std::nullopt;
}

}  // namespace reel::layer::vk
