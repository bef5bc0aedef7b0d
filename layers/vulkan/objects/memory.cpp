#include "layers/vulkan/objects/memory.hpp"

#include <algorithm>

#include "layers/session/recording_use.hpp"
#include "layers/vulkan/objects/queue.hpp"
#include "layers/vulkan/vulkan_api.hpp"

namespace reel::layer::vk {

Storage::Storage(Device& of) : TrackedBuffer(vulkan_api()), owner(of.share()) {}
Storage::~Storage() = default;

std::byte* Storage::host_bytes() {
  if (!held || (image_handle && !address)) return nullptr;
  if (std::byte* seen = address) return seen;
  const std::lock_guard lock(held->mutex);
  std::byte* base = held->map_whole();
  return base ? base + placed.offset_bytes : nullptr;
}

std::byte* Memory::map_whole() {
  if (imported) return imported;
  if (base || cant_be_mapped) return base;
  if (!is_visible() || is_plain_map || device->is_gone) return nullptr;
  void* pointer = nullptr;
  if (device->next.MapMemory(device->handle, handle, 0, VK_WHOLE_SIZE, 0, &pointer) == VK_SUCCESS)
    base = static_cast<std::byte*>(pointer);
  else
    cant_be_mapped = true;
  return base;
}

namespace {

constexpr const char* shares_memory = "its memory is that of another buffer or image as well";

void place(Storage& storage, const std::shared_ptr<Memory>& memory, std::uint64_t offset) {
  storage.held = memory;
  storage.placed.allocation = memory->number;
  storage.placed.offset_bytes = offset;
  storage.placed.flags = memory->flags;
  storage.is_foreign = memory->is_imported;
  storage.may_be_mapped = memory->is_visible() || memory->imported;
  std::byte* base = memory->imported     ? memory->imported
                    : memory->was_mapped ? memory->base
                                         : nullptr;
  if (base && !storage.image_handle) storage.address = base + offset;
}

}  // namespace

void put_into(const std::shared_ptr<Storage>& storage, const std::shared_ptr<Memory>& memory,
              std::uint64_t offset, std::uint64_t size) {
  const std::lock_guard lock(memory->mutex);
  std::erase_if(memory->bound, [](const Memory::Bound& one) { return one.storage.expired(); });
  for (const Memory::Bound& one : memory->bound) {
    if (one.begin >= offset + size || offset >= one.end) continue;
    // Who writes one of them writes the other, and no ledger knows.
    if (const auto other = one.storage.lock()) {
      other->is_strange = storage->is_strange = true;
      other->why_strange = storage->why_strange = shares_memory;
    }
  }
  place(*storage, memory, offset);
  memory->bound.push_back({offset, offset + size, storage});
}

void put_into(Buffer& buffer, const std::shared_ptr<Memory>& memory, std::uint64_t offset) {
  {
    const std::lock_guard lock(memory->mutex);
    for (const Memory::Bound& one : memory->bound) {
      if (offset < one.begin || offset + buffer.size_bytes > one.end) continue;
      const auto other = one.storage.lock();
      if (!other || other->image_handle || other->is_strange) continue;
      buffer.storage = other;
      buffer.offset_bytes = offset - one.begin;
      other->parts.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  put_into(buffer.storage, memory, offset, buffer.size_bytes);
}

void handle_goes(Storage& storage, VkBuffer buffer) {
  if (storage.buffer != buffer || storage.parts.load(std::memory_order_acquire) < 2) return;
  // Copies of ours name this one; what the program gave of it is done.
  std::vector<std::shared_ptr<Queue>> all;
  {
    const std::lock_guard lock(storage.owner->mutex);
    all = storage.owner->queues;
  }
  constexpr std::uint64_t patience_ns = 1'000'000'000;
  for (const auto& queue : all) {
    const std::lock_guard lock(queue->mutex);
    if (queue->last) queue->last->wait(patience_ns);
    storage.can_be_copied = false;  // the host may still see it
  }
}

void let_go(const std::shared_ptr<Storage>& storage) noexcept {
  if (!storage || storage->parts.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (!storage->is_gone) {  // else its memory went first
    const RecordingUse use;
    if (use) use->freed(*storage);
  }
  {
    const std::lock_guard lock(storage->life_mutex);
    storage->is_gone = true;
  }
  quietly([&] {
    if (!storage->held) return;
    const std::lock_guard lock(storage->held->mutex);
    std::erase_if(storage->held->bound, [&](const Memory::Bound& one) {
      return one.storage.expired() || one.storage.lock() == storage;
    });
  });
}

}  // namespace reel::layer::vk
