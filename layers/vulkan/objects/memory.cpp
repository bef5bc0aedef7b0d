#include "layers/vulkan/objects/memory.hpp"

#include <algorithm>
#include <cstring>

#include "layers/session/recording_use.hpp"
#include "layers/vulkan/objects/queue.hpp"
#include "layers/vulkan/vulkan_api.hpp"

namespace reel::layer::vk {

Storage::Storage(Device& of) : TrackedBuffer(vulkan_api()), owner(of.share()) {}
Storage::~Storage() = default;

std::byte* Storage::host_bytes() {
  if (!held || !is_contiguous()) return nullptr;
  if (std::byte* seen = address) return seen;
  const std::lock_guard lock(held->mutex);
  std::byte* base = held->map_whole();
  return base ? base + placed.offset_bytes + first_byte() : nullptr;
}

bool Storage::copy_rows(std::span<std::byte> target) {
  if (!held || !rows || target.size() != size_bytes) return false;
  const std::lock_guard lock(held->mutex);
  const std::byte* base = held->map_whole();
  if (!base) return false;
  base += placed.offset_bytes + first_byte();
  const std::uint64_t row = image->width * image->pixel_bytes;
  for (std::uint64_t y = 0; y < image->height; ++y)
    std::memcpy(target.data() + y * row, base + y * rows->rowPitch, row);
  return true;
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
  if (base && storage.is_contiguous()) storage.address = base + offset + storage.first_byte();
}

}  // namespace

void put_into(const std::shared_ptr<Storage>& storage, const std::shared_ptr<Memory>& memory,
              std::uint64_t offset, std::uint64_t size) {
  {
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
  const RecordingUse use;
  if (use) use->made(*storage);
}

namespace {

struct Neighbours {
  std::vector<std::pair<std::shared_ptr<Storage>, std::uint64_t>> all;  // and where they begin
  std::uint64_t begin, end;  // of all of them and the new one together
  bool are_plain = true;     // buffers, and nothing else
};

// What overlaps bytes of an allocation, with its lock held.
Neighbours neighbours_of(const Memory& memory, std::uint64_t begin, std::uint64_t end) {
  Neighbours found{{}, begin, end};
  for (const Memory::Bound& one : memory.bound) {
    if (one.begin >= end || begin >= one.end) continue;
    auto storage = one.storage.lock();
    if (!storage || storage->parts.load(std::memory_order_acquire) == 0) continue;
    found.are_plain = found.are_plain && !storage->image_handle && !storage->is_strange;
    found.begin = std::min(found.begin, one.begin);
    found.end = std::max(found.end, one.end);
    found.all.emplace_back(std::move(storage), one.begin);
  }
  return found;
}

// All queues of a device, so that nothing is submitted meanwhile.
class HeldQueues {
 public:
  explicit HeldQueues(Device& device) {
    {
      const std::lock_guard lock(device.mutex);
      queues_ = device.queues;
    }
    for (const auto& queue : queues_) locks_.emplace_back(queue->mutex);
  }
  // Waits for what needs nothing more of the host.
  bool get_idle() const noexcept {
    constexpr std::uint64_t patience_ns = 1'000'000'000;
    return std::ranges::all_of(queues_, [](const auto& queue) {
      if (queue->last && !queue->held) queue->last->wait(patience_ns);
      return queue->is_idle();
    });
  }

 private:
  std::vector<std::shared_ptr<Queue>> queues_;
  std::vector<std::unique_lock<std::recursive_mutex>> locks_;
};

bool is_recorded(const RecordingUse& use, const Storage& storage) {
  return use && storage.noted_in.load(std::memory_order_acquire) == use->number;
}

// One storage in place of those that overlap, the new buffer's among them. A recording that has
// some of them sees these go and the new one come, as if the program had made it now: what is there
// is read when it is next used. False: commands under way use them and don't end, so that nobody
// could tell what is there, or there is nothing to be done any more.
bool merge(Buffer& buffer, const std::shared_ptr<Memory>& memory, std::uint64_t offset) {
  Device& device = *memory->device;
  const RecordingUse use;
  const HeldQueues queues(device);
  auto larger = std::make_shared<Storage>(device);
  Neighbours old;
  {
    const std::lock_guard lock(memory->mutex);
    old = neighbours_of(*memory, offset, offset + buffer.size_bytes);
    if (old.all.empty() || !old.are_plain) return false;
    const auto is_in_use = [&](const auto& one) { return is_recorded(use, *one.first); };
    if (std::ranges::any_of(old.all, is_in_use) && !queues.get_idle()) return false;
    larger->size_bytes = old.end - old.begin;
    larger->is_lent = true;
    larger->parts = 0;
    old.all.emplace_back(buffer.storage, offset);
    for (const auto& [storage, begin] : old.all) {
      storage->larger = larger;
      storage->offset_in_larger = begin - old.begin;
      for (const Storage::Part& part : storage->buffers)
        larger->buffers.push_back(
            {part.handle, part.offset_bytes + begin - old.begin, part.size_bytes});
      larger->parts += storage->parts.load(std::memory_order_relaxed);
      larger->placed.usage |= storage->placed.usage;
      larger->has_several_addresses |= storage->has_several_addresses;
      if (const std::uint64_t own = storage->placed.address) {
        const std::uint64_t first = own - (begin - old.begin);
        larger->has_several_addresses |=
            larger->placed.address != 0 && larger->placed.address != first;
        larger->placed.address = first;
      }
      if (larger->label.empty()) larger->label = storage->label;
    }
    if (larger->has_several_addresses) larger->placed.address = 0;
    place(*larger, memory, old.begin);
    place(*buffer.storage, memory, offset);
    std::erase_if(memory->bound, [&](const Memory::Bound& one) {
      const auto storage = one.storage.lock();
      return !storage || storage->larger;
    });
    memory->bound.push_back({old.begin, old.end, larger});
  }
  for (const auto& entry : old.all) {
    Storage& storage = *entry.first;
    if (is_recorded(use, storage)) use->freed(storage);
    const std::lock_guard lock(storage.life_mutex);
    storage.is_gone = true;
    storage.replaced_by.store(larger.get(), std::memory_order_release);
  }
  if (use) use->made(*larger);
  return true;
}

}  // namespace

void put_into(Buffer& buffer, const std::shared_ptr<Memory>& memory, std::uint64_t offset) {
  const std::uint64_t end = offset + buffer.size_bytes;
  bool is_apart = false;
  {
    const std::lock_guard lock(memory->mutex);
    const Neighbours old = neighbours_of(*memory, offset, end);
    is_apart = old.all.empty() || !old.are_plain || buffer.storage->is_strange;
    if (!is_apart && old.all.size() == 1 && old.begin == old.all[0].second &&
        old.end == old.begin + old.all[0].first->size_bytes) {
      const std::shared_ptr<Storage>& other = old.all[0].first;
      other->buffers.push_back({buffer.handle, offset - old.begin, buffer.size_bytes});
      other->parts.fetch_add(1, std::memory_order_relaxed);
      buffer.offset_bytes = offset - old.begin;
      buffer.storage = other;
      return;
    }
  }
  if (is_apart || !merge(buffer, memory, offset))
    put_into(buffer.storage, memory, offset, buffer.size_bytes);
}

void note_address(Buffer& buffer, std::uint64_t address) {
  buffer.address = address;
  buffer.device->addresses.add({address, buffer.size_bytes, buffer.handle});
  const capture::Range range = buffer.range(0, VK_WHOLE_SIZE);
  auto* storage = static_cast<Storage*>(range.storage);
  if (!storage || !storage->held) return;
  const RecordingUse use;
  const std::lock_guard lock(storage->held->mutex);
  // A document tells one address of it, once. Where buffers on the same bytes have several, or the
  // document has a row without, no kernel that goes by it is replayed.
  const std::uint64_t first = address - range.offset_bytes;
  if (!storage->placed.address && !is_recorded(use, *storage) && !storage->has_several_addresses)
    storage->placed.address = first;
  else if (storage->placed.address != first)
    storage->has_several_addresses = true;
  if (storage->has_several_addresses) storage->placed.address = 0;
}

void handle_goes(const Buffer& buffer) {
  const std::shared_ptr<Memory> memory = buffer.storage->held;
  if (!memory) return;
  {
    const std::lock_guard lock(memory->mutex);
    Storage& storage = static_cast<Storage&>(*buffer.range(0, 0).storage);
    if (storage.parts.load(std::memory_order_acquire) < 2) return;
    std::erase_if(storage.buffers,
                  [&](const Storage::Part& part) { return part.handle == buffer.handle; });
  }
  // Who put a copy of it into a submission has given that once we get here.
  const HeldQueues queues(*memory->device);
}

void let_go(const std::shared_ptr<Storage>& given) noexcept {
  if (!given) return;
  std::shared_ptr<Storage> storage = given;
  {
    std::unique_lock<std::mutex> lock;
    if (given->held) lock = std::unique_lock(given->held->mutex);
    while (storage->larger) storage = storage->larger;
    if (storage->parts.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  }
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
