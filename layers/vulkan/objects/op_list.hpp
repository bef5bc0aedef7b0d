// op_list.hpp - what a program recorded into a command buffer, as handles and numbers.
//
// Kept from the first call on, since a buffer that was recorded before a capture may be submitted
// in it. Nothing is looked up while recording: handles that a submitted buffer names are alive, so
// that is done when it is submitted, and only while a capture is under way.
// One thread at a time, as Vulkan asks of command buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "layers/vulkan/functions.hpp"

namespace reel::layer::vk {

enum class OpKind : std::uint16_t {
  bind_pipeline,
  bind_sets,
  push_constants,
  push_set,
  dispatch,
  dispatch_indirect,
  copy_buffer,
  copy_image,
  copy_buffer_to_image,
  copy_image_to_buffer,
  fill_buffer,
  update_buffer,
  clear_image,
  image_to_image,  // blits and resolves: read one, write the other
  barrier,
  query_copy,
  render,
  execute,
  begin_condition,
  end_condition,
  begin_label,
  end_label,
  stamp,  // of ours
  kept,   // a copy of ours
};

struct OpHeader {
  OpKind kind;
  std::uint16_t zero = 0;
  std::uint32_t size_bytes;  // with the header
};

// --- what each of them has; lists follow the struct ---------------------------------------------

struct BindPipelineOp {
  VkPipelineBindPoint point;
  VkPipeline pipeline;
};
struct BindSetsOp {
  VkPipelineBindPoint point;
  VkPipelineLayout layout;
  std::uint32_t first, count, offsets;  // then count × VkDescriptorSet, offsets × u32
};
struct PushConstantsOp {
  std::uint32_t offset, size;  // then the bytes
};
// One element of a binding. Of what the kind needs, the rest is zero.
struct Descriptor {
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_MAX_ENUM;  // none: not written yet
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0, range = 0;  // of a byte of an inline block: range is the byte
  VkImageView view = VK_NULL_HANDLE;
  VkSampler sampler = VK_NULL_HANDLE;
  VkBufferView texels = VK_NULL_HANDLE;
};
struct PushedDescriptor {
  std::uint32_t binding, element;
  Descriptor value;
};
struct PushSetOp {
  VkPipelineBindPoint point;
  VkPipelineLayout layout;
  std::uint32_t set, count;  // then count × PushedDescriptor
};
struct DispatchOp {
  std::uint32_t base[3], groups[3];
};
struct DispatchIndirectOp {
  VkBuffer buffer;
  VkDeviceSize offset;
};
struct CopyBufferOp {
  VkBuffer from, to;
  std::uint32_t count;  // then count × VkBufferCopy
};
struct CopyImageOp {
  VkImage from, to;
  VkImageLayout from_layout, to_layout;
  std::uint32_t count;  // then count × VkImageCopy
};
struct CopyBufferImageOp {  // either way
  VkBuffer buffer;
  VkImage image;
  VkImageLayout layout;
  std::uint32_t count;  // then count × VkBufferImageCopy
};
struct FillBufferOp {
  VkBuffer buffer;
  VkDeviceSize offset, size;
  std::uint32_t data;
};
struct UpdateBufferOp {
  VkBuffer buffer;
  VkDeviceSize offset, size;  // then the bytes
};
struct ClearImageOp {
  VkImage image;
  VkImageLayout layout;
  VkClearColorValue color;
  std::uint32_t is_depth;
  std::uint32_t count;  // then count × VkImageSubresourceRange
};
struct ImageToImageOp {
  const char* function;
  VkImage from, to;
  VkFilter filter;
  bool is_resolve;
  std::uint32_t count;  // then count × VkImageBlit; of a resolve only its layers are set
};
struct BarrierOp {
  const char* function;
  std::uint32_t count;  // then count × BarrierPart
};
struct BarrierPart {
  std::uint64_t source_stages, target_stages, source_accesses, target_accesses;
  VkBuffer buffer;
  VkImage image;
  VkDeviceSize offset, size;
  VkImageLayout old_layout, new_layout;
  std::uint32_t source_family, target_family;
  VkImageSubresourceRange part;  // of the image
};
struct QueryCopyOp {
  VkBuffer buffer;
  VkDeviceSize offset, size;
};
struct RenderTarget {
  VkImageView view;
  VkImageLayout final_layout;  // VK_IMAGE_LAYOUT_MAX_ENUM: as it was
};
struct RenderOp {
  const char* function;
  std::uint32_t count;  // then count × RenderTarget
};
// What follows is skipped where the word is 0; inverted, where it isn't.
struct BeginConditionOp {
  VkBuffer buffer;
  VkDeviceSize offset;
  bool is_inverted;
};
struct EndConditionOp {};
struct ExecuteOp {
  std::uint32_t count;  // then count × VkCommandBuffer
};
// Where a timestamp stands: at a barrier, or before or after the one command that it is of.
enum class StampPlace : std::uint32_t { barrier, before, after };
struct StampOp {
  std::uint32_t number;  // in the command buffer's StampSet
  StampPlace place;
};
// What the last command that nobody replays left in some pixels is kept.
struct KeptOp {
  VkImage image;
  std::uint32_t number;  // in the command buffer's KeptResults
};
struct LabelOp {
  std::uint32_t size;  // then the text
};

// --- the list -----------------------------------------------------------------------------------

class OpList {
 public:
  // Room for an op with `more` bytes behind it; null: no memory is left, and the list is broken.
  template <class Op>
  Op* add(OpKind kind, std::size_t more = 0) noexcept {
    const std::size_t size = (sizeof(OpHeader) + sizeof(Op) + more + 7) & ~std::size_t{7};
    if (static_cast<std::size_t>(end_ - at_) < size && !grow(size)) [[unlikely]]
      return nullptr;
    auto* header = reinterpret_cast<OpHeader*>(at_);
    at_ += size;
    header->kind = kind;
    header->size_bytes = static_cast<std::uint32_t>(size);
    return reinterpret_cast<Op*>(header + 1);
  }
  template <class Op>
  static std::byte* behind(Op* op) noexcept {
    return reinterpret_cast<std::byte*>(op + 1);
  }
  void clear() noexcept;
  void close() noexcept { is_closed_ = is_broken_ = true; }  // for good: it takes no op
  void lose() noexcept { is_broken_ = true; }  // an op that could not be made, until clear()
  bool is_broken() const noexcept { return is_broken_; }

  // visit(const OpHeader&, const void* op) for each, in order.
  template <class F>
  void for_each(F&& visit) const {
    for (std::size_t i = 0; i < used_; ++i) {
      const std::byte* at = chunks_[i].bytes.get();
      const std::byte* end = i + 1 == used_ ? at_ : at + chunks_[i].filled;
      while (at < end) {
        const auto* header = reinterpret_cast<const OpHeader*>(at);
        visit(*header, static_cast<const void*>(header + 1));
        at += header->size_bytes;
      }
    }
  }

 private:
  bool grow(std::size_t size) noexcept;

  struct Chunk {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0, filled = 0;
  };
  std::byte *at_ = nullptr, *end_ = nullptr;
  std::vector<Chunk> chunks_;
  std::size_t used_ = 0;
  bool is_broken_ = false, is_closed_ = false;
};

template <class T, class Op>
std::span<const T> list_behind(const Op* op, std::size_t count, std::size_t skipped_bytes = 0) {
  return {reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(op + 1) + skipped_bytes),
          count};
}

}  // namespace reel::layer::vk
