// sub_buffers.hpp - the sub-buffers of one buffer, found again by their ranges.
//
// OpenCL binds whole memory objects; a range of a buffer is a sub-buffer of its own. The first
// thousand of them last as long as the buffer: whoever has the buffer finds them without a lock and
// needs no reference, which took 120 of the 600 ns of a dispatch. A window that moves through a
// buffer makes a new range each step, so that those beyond are let go now and then, and whoever
// uses one holds it. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "backends/opencl/device/api.hpp"

namespace reel::opencl {

class SubBuffers {
 public:
  struct Place {
    std::uint64_t offset_bytes, size_bytes;
    friend bool operator==(const Place&, const Place&) = default;
  };
  // Some 400 bytes each on PoCL.
  static constexpr std::size_t most_lasting = 1024, most_passing = 256;

  // One that lasts as long as the buffer; null: there is none of this place.
  cl_mem find_lasting(const Place& place) const noexcept {
    const Table* const table = table_.load(std::memory_order_acquire);
    return table ? table->find(place, next_) : nullptr;
  }
  // A reference to the one of this place, made of `parent` where there is none.
  MemoryHandle get(cl_mem parent, const Place& place, std::string_view label);
  std::size_t count() const;
  void clear();  // when the buffer ends

 private:
  static std::uint64_t hash_of(const Place& place) noexcept {
    return (place.offset_bytes * 0x9e3779b97f4a7c15u ^ place.size_bytes) * 0x9e3779b97f4a7c15u;
  }
  struct PlaceHash {
    std::size_t operator()(const Place& place) const noexcept { return hash_of(place); }
  };
  using Guess = std::atomic<std::uint32_t>;
  // In the order they were made in, which is the order that most programs ask in again: the next
  // one is in the cache when it is asked for. For the others there are slots by hash, at most half
  // of them in use. Nothing is changed once it is there, so that a look needs no lock.
  struct Table {
    struct Entry {
      Place place;
      cl_mem memory;
    };
    explicit Table(unsigned bits);
    cl_mem find(const Place& place, Guess& next) const noexcept {
      const std::uint32_t guess = next.load(std::memory_order_relaxed);
      if (guess < count.load(std::memory_order_acquire) && entries[guess].place == place) [[likely]]
        return take(guess, next);
      return find_by_hash(place, next);
    }
    bool is_full() const noexcept {
      return count.load(std::memory_order_relaxed) == entries.size();
    }
    void add(const Place& place, cl_mem memory) noexcept;

    const unsigned shift;  // of a hash, to a slot
    std::atomic<std::uint32_t> count = 0;
    std::vector<Entry> entries;                     // the first `count`
    std::vector<std::atomic<std::uint32_t>> slots;  // place in `entries` + 1; 0: empty

   private:
    cl_mem take(std::uint32_t found, Guess& next) const noexcept {
      const std::uint32_t then = found + 1 < entries.size() ? found + 1 : 0;
      next.store(then, std::memory_order_relaxed);
      __builtin_prefetch(&entries[then]);
      return entries[found].memory;
    }
    cl_mem find_by_hash(const Place& place, Guess& next) const noexcept;
  };

  // With the lock held:
  void add_lasting(const Place& place, MemoryHandle memory);
  void enlarge();

  std::atomic<const Table*> table_ = nullptr;  // the last of tables_
  mutable Guess next_ = 0;                     // which one will be asked for, in its order
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Table>> tables_;  // the former ones too: somebody may be looking
  std::vector<MemoryHandle> lasting_;
  std::unordered_map<Place, MemoryHandle, PlaceHash> passing_;
};

}  // namespace reel::opencl
