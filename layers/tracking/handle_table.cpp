#include "layers/tracking/handle_table.hpp"

#include <algorithm>

namespace reel::layer {

namespace {
// Stands where a handle was: a search goes on past it. Nobody asks for it, since it is an address
// of ours.
constexpr char mark = 0;
const void* const removed = &mark;
}  // namespace

// Where the handle is, or else the first free place.
HandleTable::Entry* HandleTable::place(Slots& slots, const void* handle) noexcept {
  Entry* free = nullptr;
  for (std::size_t i = start(handle, slots);; i = (i + 1) & slots.mask) {
    Entry& entry = slots.entries[i];
    const void* there = entry.handle.load(std::memory_order_relaxed);
    if (there == handle) return &entry;
    if (!free && (!there || there == removed)) free = &entry;
    if (!there) return free;
  }
}

void HandleTable::insert(const void* handle, Object* object) {
  if (!handle) return;
  const std::lock_guard lock(mutex_);
  Slots* slots = slots_.load(std::memory_order_relaxed);
  if (slots->used * 2 > slots->mask) {
    grow();
    slots = slots_.load(std::memory_order_relaxed);
  }
  Entry& entry = *place(*slots, handle);
  const void* there = entry.handle.load(std::memory_order_relaxed);
  if (!there) ++slots->used;
  if (there != handle) ++slots->live;
  entry.object.store(object, std::memory_order_release);
  entry.handle.store(handle, std::memory_order_release);
}

void HandleTable::remove(const void* handle) {
  if (!handle) return;
  const std::lock_guard lock(mutex_);
  Slots& slots = *slots_.load(std::memory_order_relaxed);
  Entry* entry = place(slots, handle);
  if (!entry || entry->handle.load(std::memory_order_relaxed) != handle) return;
  entry->handle.store(removed, std::memory_order_release);
  entry->object.store(nullptr, std::memory_order_release);
  --slots.live;
}

// Room for twice what lives. A program that makes and releases all the time comes here again and
// again, so tables go round: the oldest of its size is taken, four changes after it was left. Who
// still looks into it then finds nothing at worst, and the driver is asked.
std::unique_ptr<HandleTable::Slots> HandleTable::fresh(std::size_t size) {
  std::size_t same = 0;
  for (const auto& old : left_) same += old->mask + 1 == size;
  if (same < 4) return std::make_unique<Slots>(size);
  const auto oldest = std::find_if(left_.begin(), left_.end(),
                                   [&](const auto& old) { return old->mask + 1 == size; });
  auto slots = std::move(*oldest);
  left_.erase(oldest);
  for (std::size_t i = 0; i < size; ++i) {
    slots->entries[i].handle.store(nullptr, std::memory_order_relaxed);
    slots->entries[i].object.store(nullptr, std::memory_order_relaxed);
  }
  slots->used = slots->live = 0;
  return slots;
}

void HandleTable::grow() {
  Slots& old = *slots_.load(std::memory_order_relaxed);
  std::size_t size = first_size;
  while (size < old.live * 4) size *= 2;
  left_.reserve(left_.size() + 1);  // nothing may fail once the new ones are there to be seen
  auto slots = fresh(size);
  for (std::size_t i = 0; i <= old.mask; ++i) {
    Object* object = old.entries[i].object.load(std::memory_order_relaxed);
    if (!object) continue;
    const void* handle = old.entries[i].handle.load(std::memory_order_relaxed);
    Entry& entry = *place(*slots, handle);
    entry.object.store(object, std::memory_order_relaxed);
    entry.handle.store(handle, std::memory_order_relaxed);
    ++slots->used;
    ++slots->live;
  }
  slots_.store(slots.get(), std::memory_order_release);
  if (current_) left_.push_back(std::move(current_));
  current_ = std::move(slots);
}

}  // namespace reel::layer
