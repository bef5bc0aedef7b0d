#include "layers/opencl/objects/svm_pointers.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace reel::layer {
namespace {

bool is_address(std::uintptr_t word, const SvmBounds& all) {
  if (word < all.begin || word >= all.end) [[likely]]
    return false;
  return svm_at(reinterpret_cast<const void*>(word)).has_value();
}

// visit(offset, word) until it is true; whether it was.
template <class F>
bool any_word(std::span<const std::byte> bytes, std::uint64_t offset, F&& visit) {
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= bytes.size();
       at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (visit(offset + at, word)) return true;
  }
  return false;
}

// The same of memory that may be gone, or that the host may not read while a device has it.
template <class F>
bool any_word_there(const std::byte* begin, std::uint64_t size_bytes, F&& visit) {
  alignas(8) std::array<std::byte, 32768> part;
  for (std::uint64_t at = 0; at < size_bytes; at += part.size()) {
    const std::size_t size = std::min<std::uint64_t>(part.size(), size_bytes - at);
    const iovec here{part.data(), size}, there{const_cast<std::byte*>(begin) + at, size};
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != static_cast<ssize_t>(size))
      return false;
    if (any_word(std::span(part).first(size), at, visit)) return true;
  }
  return false;
}

bool is_fresh(const Storage& storage, std::uint64_t offset, std::uintptr_t word) {
  const auto& list = storage.fresh_words;
  const auto it = std::lower_bound(
      list.begin(), list.end(), offset,
      [](const Storage::FreshWord& one, std::uint64_t at) { return one.offset_bytes < at; });
  return it != list.end() && it->offset_bytes == offset && it->word == word;
}

bool memory_holds_pointers(const Storage& storage, const SvmBounds& all) {
  return any_word_there(storage.address, storage.size_bytes,
                        [&](std::uint64_t offset, std::uintptr_t word) {
                          return is_address(word, all) && !is_fresh(storage, offset, word);
                        });
}

bool look_into(Storage& storage, const SvmBounds& all) noexcept {
  if (storage.holds_pointers.load(std::memory_order_relaxed)) return true;
  // Fine-grained memory changes without a call.
  if (!storage.has_host_writes.exchange(false, std::memory_order_relaxed) && !storage.is_fine)
    return false;
  if (!memory_holds_pointers(storage, all)) return false;
  storage.holds_pointers.store(true, std::memory_order_relaxed);
  return true;
}

}  // namespace

void remember_fresh_words(Storage& storage) {
  // Larger blocks are fresh from the system, and zero.
  constexpr std::uint64_t most_bytes = std::uint64_t{4} << 20;
  constexpr std::uintptr_t first_address = 1u << 16, end_of_addresses = std::uintptr_t{1} << 47;
  any_word_there(storage.address, std::min(storage.size_bytes, most_bytes),
                 [&](std::uint64_t offset, std::uintptr_t word) {
                   if (word >= first_address && word < end_of_addresses)
                     storage.fresh_words.push_back({offset, word});
                   return false;
                 });
}

void host_wrote(Storage& storage) noexcept {
  storage.has_host_writes.store(true, std::memory_order_relaxed);
}

void host_writes(Storage& storage, const void* bytes, std::size_t size) noexcept {
  const SvmBounds all = svm_bounds();
  if (any_word_there(static_cast<const std::byte*>(bytes), size,
                     [&](std::uint64_t, std::uintptr_t word) { return is_address(word, all); }))
    storage.holds_pointers.store(true, std::memory_order_relaxed);
}

void pointers_copied(const Storage& from, Storage& to) noexcept {
  if (from.holds_pointers.load(std::memory_order_relaxed))
    to.holds_pointers.store(true, std::memory_order_relaxed);
  else if ((from.has_host_writes.load(std::memory_order_relaxed) || from.is_fine) &&
           memory_holds_pointers(from, svm_bounds()))
    to.holds_pointers.store(true, std::memory_order_relaxed);
}

bool is_given_svm_pointers(const Work& work) noexcept {
  const SvmBounds all = svm_bounds();
  if (all.begin == all.end) [[likely]]
    return false;
  std::size_t at = 0;  // in the values
  for (const WorkArgument& argument : work.arguments) {
    if (argument.kind == ArgumentKind::value || argument.kind == ArgumentKind::sampler) {
      if (any_word(std::span(work.values).subspan(at, argument.size_bytes), 0,
                   [&](std::uint64_t, std::uintptr_t word) { return is_address(word, all); }))
        return true;
      at += argument.size_bytes;
    } else if (argument.kind == ArgumentKind::buffer &&
               argument.range.storage->kind == BufferKind::svm &&
               look_into(static_cast<Storage&>(*argument.range.storage), all)) {
      return true;
    }
  }
  return false;
}

}  // namespace reel::layer
