#include "base/process/own_memory.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "base/os/machine.hpp"

namespace reel {
namespace {

// What glibc takes without a look at the rest of its heap.
constexpr std::size_t most_small_bytes = 1000;
constexpr std::size_t page_bytes = 4096, huge_page_bytes = std::size_t{2} << 20;
// Of 4, 8, 16 … 256 KiB each: 8 MiB, if all of them are there.
constexpr std::size_t kept_sizes = 7, most_kept = 16;

// A sanitizer knows what it allocated itself.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool is_from_heap = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool is_from_heap = true;
#else
constexpr bool is_from_heap = false;
#endif
#else
constexpr bool is_from_heap = false;
#endif

bool is_small(std::size_t size_bytes) { return is_from_heap || size_bytes <= most_small_bytes; }

constinit std::array<std::array<std::atomic<void*>, most_kept>, kept_sizes> kept{};

std::size_t pages_of(std::size_t size_bytes) { return (size_bytes + page_bytes - 1) / page_bytes; }
// Which of `kept` has pieces for so many pages; none from kept_sizes on.
std::size_t size_class(std::size_t pages) {
  return static_cast<std::size_t>(std::countr_zero(std::bit_ceil(pages)));
}
std::size_t rounded(std::size_t size_bytes, std::size_t unit) {
  return (size_bytes + unit - 1) / unit * unit;
}
std::size_t mapped_bytes(std::size_t pages) {
  const std::size_t size = size_class(pages);
  const std::size_t bytes = (size < kept_sizes ? std::size_t{1} << size : pages) * page_bytes;
  return bytes < huge_page_bytes ? bytes : rounded(bytes, huge_page_bytes);
}

std::byte* map(std::size_t size_bytes) {
  void* memory =
      ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

// Where huge pages can lie. Where the system has none, pages come one by one.
void* map_huge(std::size_t size_bytes) {
  std::byte* const all = map(size_bytes + huge_page_bytes);
  const std::size_t before = rounded(reinterpret_cast<std::uintptr_t>(all), huge_page_bytes) -
                             reinterpret_cast<std::uintptr_t>(all);
  if (before) ::munmap(all, before);
  ::munmap(all + before + size_bytes, huge_page_bytes - before);
  os::ask_for_huge_pages(all + before, size_bytes);
  return all + before;
}

}  // namespace

void* take_own_memory(std::size_t size_bytes) {
  if (is_small(size_bytes)) return ::operator new(size_bytes);
  if (size_bytes > static_cast<std::size_t>(-1) / 2) throw std::bad_alloc();
  const std::size_t pages = pages_of(size_bytes);
  if (const std::size_t size = size_class(pages); size < kept_sizes)
    for (std::atomic<void*>& place : kept[size])
      if (place.load(std::memory_order_relaxed))
        if (void* memory = place.exchange(nullptr, std::memory_order_acquire)) return memory;
  const std::size_t mapped = mapped_bytes(pages);
  return mapped < huge_page_bytes ? map(mapped) : map_huge(mapped);
}

void give_back_own_memory(void* memory, std::size_t size_bytes) noexcept {
  if (!memory) return;
  if (is_small(size_bytes)) return ::operator delete(memory);
  const std::size_t pages = pages_of(size_bytes);
  if (const std::size_t size = size_class(pages); size < kept_sizes)
    for (std::atomic<void*>& place : kept[size]) {
      void* none = nullptr;
      if (!place.load(std::memory_order_relaxed) &&
          place.compare_exchange_strong(none, memory, std::memory_order_release,
                                        std::memory_order_relaxed))
        return;
    }
  ::munmap(memory, mapped_bytes(pages));
}

}  // namespace reel
