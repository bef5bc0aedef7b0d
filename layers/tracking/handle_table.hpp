// handle_table.hpp - what we know of the driver's handles.
//
// Looking up takes no lock: a program may only pass a handle that lives, so the entry it looks for
// neither comes nor goes meanwhile. Tables that were left are kept, since somebody may still look
// into them. Made before anything runs, and looked up where it is used: a program that isn't
// captured pays for it in each call that sets an argument.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace reel::layer {

struct Object;

class HandleTable {
 public:
  constexpr HandleTable() = default;

  Object* find(const void* handle) const noexcept {
    const Slots& slots = *slots_.load(std::memory_order_acquire);
    for (std::size_t i = start(handle, slots);; i = (i + 1) & slots.mask) {
      const void* there = slots.entries[i].handle.load(std::memory_order_acquire);
      if (!there) return nullptr;
      if (there == handle) return slots.entries[i].object.load(std::memory_order_acquire);
    }
  }
  // Replaces what had the handle before: that one ended without our seeing it.
  void insert(const void* handle, Object* object);
  void remove(const void* handle);
  // visit(Object&) for each, with the table locked.
  template <class F>
  void for_each(F&& visit) {
    const std::lock_guard lock(mutex_);
    Slots& slots = *slots_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i <= slots.mask; ++i)
      if (Object* object = slots.entries[i].object.load(std::memory_order_relaxed)) visit(*object);
  }

  std::mutex& mutex() noexcept { return mutex_; }  // for fork()

 private:
  struct Entry {
    std::atomic<const void*> handle{nullptr};
    std::atomic<Object*> object{nullptr};
  };
  struct Slots {
    explicit Slots(std::size_t size)
        : mask(size - 1), owned(new Entry[size]), entries(owned.get()) {}
    constexpr Slots(Entry* own_entries, std::size_t size) : mask(size - 1), entries(own_entries) {}
    const std::size_t mask;
    const std::unique_ptr<Entry[]> owned;
    Entry* const entries;
    std::size_t used = 0;  // removed ones among them
    std::size_t live = 0;
  };
  static std::size_t start(const void* handle, const Slots& slots) noexcept {
    const auto bits = reinterpret_cast<std::uintptr_t>(handle);
    return (bits >> 4) * 0x9e3779b97f4a7c15u >> 20 & slots.mask;
  }
  static Entry* place(Slots& slots, const void* handle) noexcept;
  std::unique_ptr<Slots> fresh(std::size_t size);
  void grow();

  // The first ones are here: looking up must work where no memory is left.
  static constexpr std::size_t first_size = 1024;
  Entry first_entries_[first_size];
  Slots first_{first_entries_, first_size};

  std::mutex mutex_;
  std::atomic<Slots*> slots_{&first_};
  std::unique_ptr<Slots> current_;            // none: the first ones
  std::vector<std::unique_ptr<Slots>> left_;  // in the order in which they were
};

}  // namespace reel::layer
