// Memory and buffers: what there is, where it lies, and what the host sees of it.
#include <algorithm>

#include "layers/session/recording_use.hpp"
#include "layers/vulkan/hooks/call_note.hpp"
#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/hooks/plain_objects.hpp"
#include "layers/vulkan/objects/memory.hpp"
#include "vulkan/formats.hpp"

namespace reel::layer::vk {

namespace {

// --- memory -------------------------------------------------------------------------------------

VkResult VKAPI_CALL allocate_memory(VkDevice handle, const VkMemoryAllocateInfo* info,
                                    const VkAllocationCallbacks* allocator,
                                    VkDeviceMemory* memory) {
  Device& device = *device_of(handle);
  const CallNote call("vkAllocateMemory");
  const VkResult result = device.next.AllocateMemory(handle, info, allocator, memory);
  if (result != VK_SUCCESS) return result;
  device.note([&] {
    static std::atomic<std::uint32_t> allocations{0};
    auto made = std::make_shared<Memory>();
    made->device = device.share();
    made->handle = *memory;
    made->size_bytes = info->allocationSize;
    made->number = allocations.fetch_add(1, std::memory_order_relaxed);
    if (info->memoryTypeIndex < device.memory.memoryTypeCount)
      made->flags = device.memory.memoryTypes[info->memoryTypeIndex].propertyFlags;
    if (const auto* pointer = find_in<VkImportMemoryHostPointerInfoEXT>(
            info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT))
      made->imported = static_cast<std::byte*>(pointer->pHostPointer);
    made->is_imported = find_in<VkImportMemoryFdInfoKHR>(
                            info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR) != nullptr;
    device.memories.add(*memory, std::move(made));
  });
  return result;
}

void VKAPI_CALL free_memory(VkDevice handle, VkDeviceMemory memory,
                            const VkAllocationCallbacks* allocator) {
  Device& device = *device_of(handle);
  if (const auto known = device.memories.remove(memory))
    device.note([&] {
      std::vector<std::shared_ptr<Storage>> within;
      {
        const std::lock_guard lock(known->mutex);
        for (const Memory::Bound& one : known->bound)
          if (auto storage = one.storage.lock()) within.push_back(std::move(storage));
      }
      // Buffers may outlive their memory, and are of no use then.
      for (const auto& storage : within) {
        {
          const RecordingUse use;
          if (use) use->freed(*storage);
        }
        const std::lock_guard lock(storage->life_mutex);
        storage->is_gone = true;
        storage->address = nullptr;
      }
      const std::lock_guard lock(known->mutex);
      known->base = known->imported = nullptr;
      known->cant_be_mapped = true;
    });
  device.settle_copies();
  device.next.FreeMemory(handle, memory, allocator);
}

// The host may write from now on. What a device has left there is looked at first.
void became_visible(Memory& memory) {
  std::vector<std::shared_ptr<Storage>> within;
  {
    const std::lock_guard lock(memory.mutex);
    if (!memory.base) return;
    for (const Memory::Bound& one : memory.bound) {
      auto storage = one.storage.lock();
      if (!storage || !storage->is_contiguous() || storage->address) continue;
      storage->address = memory.base + storage->placed.offset_bytes + storage->first_byte();
      within.push_back(std::move(storage));
    }
  }
  const RecordingUse use(or_ending);
  if (!use) return;
  for (const auto& storage : within) use->became_visible(*storage);
  // A capture that ends may be reading it without the map, and would read what the host writes.
  if (!within.empty() && session::mode() & session::ending) session::stray_command();
}

VkResult VKAPI_CALL map_memory(VkDevice handle, VkDeviceMemory memory, VkDeviceSize offset,
                               VkDeviceSize size, VkMemoryMapFlags flags, void** data) {
  Device& device = *device_of(handle);
  Memory* known = device.memories.find(memory);
  const auto plain = [&] {
    return device.next.MapMemory(handle, memory, offset, size, flags, data);
  };
  if (!known) return plain();
  {
    const std::lock_guard lock(known->mutex);
    // Non-coherent memory is seen through flushes, and through the program's own map.
    std::byte* base =
        known->is_visible() && flags == 0 && !known->imported ? known->map_whole() : nullptr;
    if (!base) {
      const VkResult result = plain();
      if (result == VK_SUCCESS) known->is_plain_map = true;
      return result;
    }
    known->is_mapped = known->was_mapped = true;
    *data = base + offset;
  }
  device.note([&] { became_visible(*known); });
  return VK_SUCCESS;
}

void VKAPI_CALL unmap_memory(VkDevice handle, VkDeviceMemory memory) {
  Device& device = *device_of(handle);
  if (Memory* known = device.memories.find(memory)) {
    const std::lock_guard lock(known->mutex);
    if (!known->is_plain_map) {
      known->is_mapped = false;  // ours stays
      return;
    }
    known->is_plain_map = false;
  }
  device.next.UnmapMemory(handle, memory);
}

// Memory that isn't coherent: what the host wrote there reaches the device here, and the next
// command that uses it has it read.
VkResult VKAPI_CALL flush_memory(VkDevice handle, std::uint32_t count,
                                 const VkMappedMemoryRange* ranges) {
  Device& device = *device_of(handle);
  const RecordingUse use;
  if (use)
    device.note([&] {
      for (std::uint32_t i = 0; i < count; ++i) {
        Memory* memory = device.memories.find(ranges[i].memory);
        if (!memory || memory->is_visible() || memory->imported) continue;
        const std::uint64_t begin = ranges[i].offset;
        const std::uint64_t end =
            ranges[i].size == VK_WHOLE_SIZE ? memory->size_bytes : begin + ranges[i].size;
        std::vector<std::pair<std::shared_ptr<Storage>, capture::Range>> flushed;
        {
          const std::lock_guard lock(memory->mutex);
          for (const Memory::Bound& one : memory->bound) {
            auto storage = one.storage.lock();
            if (!storage || one.begin >= end || begin >= one.end) continue;
            const std::uint64_t first = std::max(begin, one.begin) - one.begin;
            const std::uint64_t last = std::min(end, one.end) - one.begin;
            if (storage->image_handle)
              flushed.emplace_back(storage, capture::Range{storage.get(), 0, storage->size_bytes});
            else
              flushed.emplace_back(storage, capture::Range{storage.get(), first, last - first});
          }
        }
        for (const auto& [storage, range] : flushed) use->forget({&range, 1});
      }
    });
  return device.next.FlushMappedMemoryRanges(handle, count, ranges);
}

// --- buffers ------------------------------------------------------------------------------------

// So that we can read it. No driver refuses more memory for that.
VkBufferCreateInfo readable(const VkBufferCreateInfo& info) {
  VkBufferCreateInfo changed = info;
  changed.usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  return changed;
}

VkResult VKAPI_CALL create_buffer(VkDevice handle, const VkBufferCreateInfo* info,
                                  const VkAllocationCallbacks* allocator, VkBuffer* buffer) {
  Device& device = *device_of(handle);
  const VkBufferCreateInfo changed = readable(*info);
  const VkResult result = device.next.CreateBuffer(handle, &changed, allocator, buffer);
  if (result != VK_SUCCESS) return result;
  device.note([&] {
    auto made = std::make_shared<Buffer>();
    made->device = device.share();
    made->handle = *buffer;
    made->size_bytes = info->size;
    made->usage = info->usage;
    auto storage = std::make_shared<Storage>(device);
    storage->buffers.push_back({*buffer, 0, info->size});
    storage->size_bytes = info->size;
    storage->placed.usage = info->usage;
    storage->parts = 1;
    storage->is_lent = true;
    if (info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) {
      storage->is_strange = true;
      storage->why_strange = "it is a sparse buffer";
    } else if (info->flags & VK_BUFFER_CREATE_PROTECTED_BIT) {
      storage->is_strange = true;
      storage->why_strange = "it is a protected buffer";
    }
    made->storage = std::move(storage);
    device.buffers.add(*buffer, std::move(made));
  });
  return result;
}

void VKAPI_CALL destroy_buffer(VkDevice handle, VkBuffer buffer,
                               const VkAllocationCallbacks* allocator) {
  Device& device = *device_of(handle);
  if (const auto known = device.buffers.remove(buffer)) {
    if (known->address) device.addresses.remove(known->address, buffer);
    device.note([&] { handle_goes(*known); });
    let_go(known->storage);
  }
  device.settle_copies();
  device.next.DestroyBuffer(handle, buffer, allocator);
}

void bound(Device& device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
  device.note([&] {
    Buffer* known = device.buffers.find(buffer);
    const auto holds = device.memories.share(memory);
    if (!known || !holds) return;
    put_into(*known, holds, offset);
    const auto address_of = device.next.GetBufferDeviceAddress
                                ? device.next.GetBufferDeviceAddress
                                : device.next.GetBufferDeviceAddressEXT;
    if (!(known->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) || !address_of) return;
    VkBufferDeviceAddressInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    info.buffer = buffer;
    if (const VkDeviceAddress address = address_of(device.handle, &info))
      note_address(*known, address);
  });
}

VkResult VKAPI_CALL bind_buffer(VkDevice handle, VkBuffer buffer, VkDeviceMemory memory,
                                VkDeviceSize offset) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.BindBufferMemory(handle, buffer, memory, offset);
  if (result == VK_SUCCESS) bound(device, buffer, memory, offset);
  return result;
}

VkResult VKAPI_CALL bind_buffers(VkDevice handle, std::uint32_t count,
                                 const VkBindBufferMemoryInfo* infos) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.BindBufferMemory2(handle, count, infos);
  if (result == VK_SUCCESS)
    for (std::uint32_t i = 0; i < count; ++i)
      bound(device, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
  return result;
}

// As large as what create_buffer() makes.
void VKAPI_CALL requirements_of_buffer(VkDevice handle,
                                       const VkDeviceBufferMemoryRequirements* info,
                                       VkMemoryRequirements2* requirements) {
  const VkBufferCreateInfo changed = readable(*info->pCreateInfo);
  VkDeviceBufferMemoryRequirements asked = *info;
  asked.pCreateInfo = &changed;
  device_of(handle)->next.GetDeviceBufferMemoryRequirements(handle, &asked, requirements);
}

std::shared_ptr<BufferView> note_texels(Device& device, const VkBufferViewCreateInfo& info) {
  auto made = std::make_shared<BufferView>();
  made->buffer = info.buffer;
  made->offset_bytes = info.offset;
  const vulkan::PixelFormat format = vulkan::to_pixels(info.format);
  const Buffer* buffer = device.buffers.find(info.buffer);
  if (!buffer || format.pixel_bytes == 0 || info.offset > buffer->size_bytes) return made;
  const std::uint64_t most = buffer->size_bytes - info.offset;
  ImageShape shape;
  shape.type = ImageType::d1_buffer;
  shape.channel_order = format.order;
  shape.channel_type = format.type;
  shape.pixel_bytes = format.pixel_bytes;
  shape.width = std::min(info.range, most) / format.pixel_bytes;
  made->size_bytes = shape.size_bytes();
  made->row = std::make_shared<Storage>(device);
  made->row->kind = BufferKind::image;
  made->row->image = shape;
  made->row->size_bytes = shape.size_bytes();
  return made;
}

}  // namespace

std::span<const Hook> memory_hooks() {
  static const Hook hooks[] = {
      {"vkAllocateMemory", allocate_memory},
      {"vkFreeMemory", free_memory},
      {"vkMapMemory", map_memory},
      {"vkUnmapMemory", unmap_memory},
      {"vkFlushMappedMemoryRanges", flush_memory},
      {"vkCreateBuffer", create_buffer},
      {"vkDestroyBuffer", destroy_buffer},
      {"vkBindBufferMemory", bind_buffer},
      {"vkBindBufferMemory2", bind_buffers},
      {"vkBindBufferMemory2KHR", bind_buffers},
      {"vkGetDeviceBufferMemoryRequirements", requirements_of_buffer},
      {"vkGetDeviceBufferMemoryRequirementsKHR", requirements_of_buffer},
      {"vkCreateBufferView",
       Create<&DeviceFunctions::CreateBufferView, &Device::buffer_views, note_texels>::call},
      {"vkDestroyBufferView",
       Destroy<&DeviceFunctions::DestroyBufferView, &Device::buffer_views>::call},
  };
  return hooks;
}

}  // namespace reel::layer::vk
