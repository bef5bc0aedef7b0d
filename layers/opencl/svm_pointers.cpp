#include "layers/opencl/svm_pointers.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace reel::layer {
namespace {

bool holds_pointers(std::span<const std::byte> bytes, const SvmBounds& all) {
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= bytes.size();
       at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (word < all.begin || word >= all.end) [[likely]]
      continue;
    if (svm_at(reinterpret_cast<const void*>(word))) return true;
  }
  return false;
}

// Memory that may be gone, or that the host may not read while a device has it.
bool memory_holds_pointers(const std::byte* begin, std::uint64_t size_bytes,
                           const SvmBounds& all) noexcept {
  alignas(8) std::array<std::byte, 32768> part;
  for (std::uint64_t at = 0; at < size_bytes; at += part.size()) {
    const std::size_t size = std::min<std::uint64_t>(part.size(), size_bytes - at);
    const iovec here{part.data(), size}, there{const_cast<std::byte*>(begin) + at, size};
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != static_cast<ssize_t>(size))
      return false;
    if (holds_pointers(std::span(part).first(size), all)) return true;
  }
  return false;
}

bool look_into(Storage& storage, const SvmBounds& all) noexcept {
  if (storage.holds_pointers.load(std::memory_order_relaxed)) return true;
  // Fine-grained memory changes without a call.
  if (!storage.has_host_writes.exchange(false, std::memory_order_relaxed) && !storage.is_fine)
    return false;
  if (!memory_holds_pointers(storage.address, storage.size_bytes, all)) return false;
  storage.holds_pointers.store(true, std::memory_order_relaxed);
  return true;
}

}  // namespace

void host_wrote(Storage& storage) noexcept {
  storage.has_host_writes.store(true, std::memory_order_relaxed);
}

void host_writes(Storage& storage, const void* bytes, std::size_t size) noexcept {
  if (memory_holds_pointers(static_cast<const std::byte*>(bytes), size, svm_bounds()))
    storage.holds_pointers.store(true, std::memory_order_relaxed);
}

void pointers_copied(const Storage& from, Storage& to) noexcept {
  if (from.holds_pointers.load(std::memory_order_relaxed))
    to.holds_pointers.store(true, std::memory_order_relaxed);
  else if (from.has_host_writes.load(std::memory_order_relaxed) || from.is_fine)
    host_writes(to, from.address, from.size_bytes);
}

bool is_given_svm_pointers(const Work& work) noexcept {
  const SvmBounds all = svm_bounds();
  if (all.begin == all.end) [[likely]]
    return false;
  std::size_t at = 0;  // in the values
  for (const WorkArgument& argument : work.arguments) {
    if (argument.kind == ArgumentKind::value || argument.kind == ArgumentKind::sampler) {
      if (holds_pointers(std::span(work.values).subspan(at, argument.size_bytes), all)) return true;
      at += argument.size_bytes;
    } else if (argument.kind == ArgumentKind::buffer &&
               argument.range.storage->kind == BufferKind::svm &&
               look_into(*argument.range.storage, all)) {
      return true;
    }
  }
  return false;
}

}  // namespace reel::layer
