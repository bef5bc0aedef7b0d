#include "layers/opencl/shared_writes.hpp"

#include <algorithm>

#include "layers/opencl/own_reads.hpp"

namespace reel::layer {

SharedWrites::~SharedWrites() {
  for (const Write& write : writes_)
    if (write.event) next().clReleaseEvent(write.event);
}

bool SharedWrites::is_done(cl_event event) noexcept { return layer::is_done(event); }

bool SharedWrites::has(const std::vector<std::shared_ptr<Storage>>& list, const Storage& storage) {
  return std::any_of(list.begin(), list.end(),
                     [&](const auto& known) { return known.get() == &storage; });
}

void SharedWrites::begin(Storage& storage, const Point& command) {
  const std::lock_guard lock(mutex_);
  writes_.push_back(
      {std::static_pointer_cast<Storage>(storage.shared_from_this()), command, nullptr});
  count_.store(writes_.size(), std::memory_order_release);
}

void SharedWrites::given(std::uint32_t first, std::uint32_t last, cl_event event, bool in_order) {
  if (count_.load(std::memory_order_acquire) == 0) return;
  Released released;
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<const Storage*, std::uint32_t>> later;  // and its stream
  for (Write& write : writes_) {
    if (write.command.command < first || write.command.command > last || write.event) continue;
    if (event && next().clRetainEvent(event) == CL_SUCCESS) write.event = event;
    if (in_order) later.emplace_back(write.storage.get(), write.command.stream);
  }
  if (later.empty()) return;
  take(released, [&](const Write& write) {
    return write.command.command < first &&
           std::find(later.begin(), later.end(),
                     std::pair(static_cast<const Storage*>(write.storage.get()),
                               write.command.stream)) != later.end();
  });
}

void SharedWrites::refused(std::uint32_t first, std::uint32_t last) {
  if (count_.load(std::memory_order_acquire) == 0) return;
  Released released;
  const std::lock_guard lock(mutex_);
  take(released, [&](const Write& write) {
    return write.command.command >= first && write.command.command <= last;
  });
}

bool SharedWrites::are_under_way(const Storage& storage) {
  if (count_.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard lock(mutex_);
  return std::any_of(writes_.begin(), writes_.end(),
                     [&](const Write& write) { return write.storage.get() == &storage; });
}

void SharedWrites::forget(const Storage& storage) {
  if (count_.load(std::memory_order_acquire) == 0) return;
  Released released;
  const std::lock_guard lock(mutex_);
  take(released, [&](const Write& write) { return write.storage.get() == &storage; });
}

}  // namespace reel::layer
