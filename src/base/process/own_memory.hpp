// own_memory.hpp - memory apart from the program's heap, for what a recording keeps.
//
// The heap of glibc tidies itself up when somebody asks it for 1 KiB or more: all small pieces
// that were freed before are joined, and split again by who needs them next. After 20,000 commands
// of PoCL that takes 5 ms of the program's time, because of one piece of ours. So our larger pieces
// are pages of the system, and some that were given back are kept for who comes next.
// Any thread; nothing is locked, so a forked child may use it, too.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace reel {

// At least so many bytes, aligned for anything. Throws std::bad_alloc.
void* take_own_memory(std::size_t size_bytes);
// With the size that was asked for.
void give_back_own_memory(void* memory, std::size_t size_bytes) noexcept;

template <class T>
struct OwnAllocator {
  using value_type = T;
  OwnAllocator() = default;
  template <class Other>
  OwnAllocator(const OwnAllocator<Other>&) noexcept {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(take_own_memory(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    give_back_own_memory(memory, count * sizeof(T));
  }
  bool operator==(const OwnAllocator&) const noexcept = default;
};

template <class T>
using OwnVector = std::vector<T, OwnAllocator<T>>;
using OwnText = std::basic_string<char, std::char_traits<char>, OwnAllocator<char>>;

// Bytes as they come, not zeroed.
class OwnBytes {
 public:
  OwnBytes() = default;
  explicit OwnBytes(std::size_t size_bytes)
      : bytes_(static_cast<std::byte*>(take_own_memory(size_bytes))), size_bytes_(size_bytes) {}
  ~OwnBytes() { give_back_own_memory(bytes_, size_bytes_); }
  OwnBytes(OwnBytes&& other) noexcept
      : bytes_(std::exchange(other.bytes_, nullptr)),
        size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  OwnBytes& operator=(OwnBytes&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }

  std::byte* get() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return size_bytes_; }

 private:
  std::byte* bytes_ = nullptr;
  std::size_t size_bytes_ = 0;
};

// A class that derives from this is made in such memory by `new` and std::make_unique.
struct InOwnMemory {
  static void* operator new(std::size_t size_bytes) { return take_own_memory(size_bytes); }
  static void operator delete(void* memory, std::size_t size_bytes) noexcept {
    give_back_own_memory(memory, size_bytes);
  }

 protected:
  ~InOwnMemory() = default;
};

}  // namespace reel
