// memory.hpp - allocations of the program, and what lies in them: buffers and images.
//
// A Storage is a buffer of documents: a VkBuffer, or the pixels of a VkImage. VkBuffers that
// overlap in memory are ranges of one Storage: that of the first where it has room for the others,
// else a larger one, which takes the place of theirs. Memory that the host can see is mapped whole
// by us when the program first maps a part of it, and stays mapped: a persistent map is what most
// programs have anyway, and ours reads through it.
//
// Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "layers/vulkan/device.hpp"
#include "recording/calls/call_work.hpp"
#include "recording/calls/tracked.hpp"

namespace reel::layer::vk {

struct Storage final : capture::TrackedBuffer {
  explicit Storage(Device& of);
  ~Storage() override;

  const std::shared_ptr<Device> owner;
  VkImage image_handle = VK_NULL_HANDLE;  // of pixels
  // Else the program's buffers on these bytes, which commands of ours copy from; under the lock of
  // the allocation once there is one.
  struct Part {
    VkBuffer handle;
    std::uint64_t offset_bytes, size_bytes;
  };
  std::vector<Part> buffers;
  std::shared_ptr<Memory> held;        // the allocation; null: not bound, or sparse
  const char* why_strange = nullptr;   // where is_strange is set
  bool can_be_copied = true;           // by commands of ours
  VkExtent3D extent{1, 1, 1};          // of an image
  bool has_several_addresses = false;  // placed.address is none of them
  std::uint32_t layers = 1;
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  // Of each layer of each level of an image, where it is in the order of submissions; under the
  // lock of the queue that uses it.
  std::vector<VkImageLayout> layouts;
  // Of a linear image that is rows of pixels: where they are from the first byte of its memory on.
  std::optional<VkSubresourceLayout> rows;
  std::mutex life_mutex;  // of is_gone
  bool is_gone = false;   // the program is destroying it

  // The one that has its bytes since others were bound over a part of them; set once, under the
  // lock of the allocation.
  std::shared_ptr<Storage> larger;
  std::atomic<Storage*> replaced_by{nullptr};  // the same, for who looks without the lock
  std::uint64_t offset_in_larger = 0;

  // Its bytes are bytes of the memory that it is bound to, without others between.
  bool is_contiguous() const noexcept {
    return !image_handle || (rows && rows->rowPitch == image->width * image->pixel_bytes);
  }
  std::uint64_t first_byte() const noexcept { return rows ? rows->offset : 0; }
  // What the host sees of it, mapped by us where need be; null: nothing, or not by addresses.
  std::byte* host_bytes();
  // All pixels of an image that the host sees as rows. False: it doesn't, or not in memory of ours.
  bool copy_rows(std::span<std::byte> target);
  // Those of its buffers that have these bytes: pieces(offset, size, handle, offset in that one).
  // False: some have none. With the lock of the allocation held.
  template <class F>
  bool for_each_piece(std::uint64_t offset, std::uint64_t size, F&& visit) const {
    const std::uint64_t end = offset + size;
    while (offset < end) {
      const Part* best = nullptr;
      for (const Part& part : buffers)
        if (part.offset_bytes <= offset && offset < part.offset_bytes + part.size_bytes &&
            (!best || best->offset_bytes + best->size_bytes < part.offset_bytes + part.size_bytes))
          best = &part;
      if (!best) return false;
      const std::uint64_t stop = std::min(end, best->offset_bytes + best->size_bytes);
      visit(offset, stop - offset, best->handle, offset - best->offset_bytes);
      offset = stop;
    }
    return true;
  }
};

struct Memory final : Object {
  std::shared_ptr<Device> device;
  VkDeviceMemory handle = VK_NULL_HANDLE;
  std::uint64_t size_bytes = 0;
  std::uint32_t number = 0;  // as documents have it
  VkMemoryPropertyFlags flags = 0;
  bool is_imported = false;  // not by a pointer
  std::byte* imported = nullptr;

  std::mutex mutex;           // of what follows
  std::byte* base = nullptr;  // of a map of ours, which is of the whole
  bool cant_be_mapped = false;
  bool is_mapped = false;     // by the program, now
  bool was_mapped = false;    // by the program, at any time
  bool is_plain_map = false;  // the driver's own map of a part: nobody of ours sees through it
  struct Bound {
    std::uint64_t begin, end;
    std::weak_ptr<Storage> storage;
  };
  std::vector<Bound> bound;

  bool is_visible() const noexcept {
    constexpr VkMemoryPropertyFlags seen =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    return (flags & seen) == seen && !(flags & VK_MEMORY_PROPERTY_PROTECTED_BIT);
  }
  // Its first byte; null: the host can't see it, or only in parts. With the lock held.
  std::byte* map_whole();
};

struct Buffer final : Object {
  std::shared_ptr<Device> device;
  VkBuffer handle = VK_NULL_HANDLE;
  std::uint64_t size_bytes = 0;
  VkBufferUsageFlags usage = 0;  // as the program asked
  bool is_sparse = false;
  std::uint64_t address = 0;  // as kernels know it; 0: it has none
  std::shared_ptr<Storage> storage;
  std::uint64_t offset_bytes = 0;  // within the storage

  // Where these bytes of it are.
  capture::Range range(std::uint64_t offset, std::uint64_t size) const {
    if (offset > size_bytes) return {};
    if (size == VK_WHOLE_SIZE || size > size_bytes - offset) size = size_bytes - offset;
    Storage* at = storage.get();
    offset += offset_bytes;
    while (Storage* larger = at ? at->replaced_by.load(std::memory_order_acquire) : nullptr) {
      offset += at->offset_in_larger;
      at = larger;
    }
    return {at, offset, size};
  }
};

struct BufferView final : Object {
  VkBuffer buffer = VK_NULL_HANDLE;
  std::uint64_t offset_bytes = 0, size_bytes = 0;  // whole texels
  std::shared_ptr<Storage> row;  // an image on these bytes; null: of texels without a size
};

// The program has bound it: finds out what else lies there, and tells the recording.
void put_into(Buffer& buffer, const std::shared_ptr<Memory>& memory, std::uint64_t offset_bytes);
void put_into(const std::shared_ptr<Storage>& storage, const std::shared_ptr<Memory>& memory,
              std::uint64_t offset_bytes, std::uint64_t size_bytes);
// A buffer that was bound has an address.
void note_address(Buffer& buffer, std::uint64_t address);
// The program destroys one of several buffers on these bytes: nothing of ours may use it any more.
void handle_goes(const Buffer& buffer);
// The program has it no more; before the driver is told.
void let_go(const std::shared_ptr<Storage>& storage) noexcept;

}  // namespace reel::layer::vk
