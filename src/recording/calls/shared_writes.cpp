#include "recording/calls/shared_writes.hpp"

#include <algorithm>

namespace reel::capture {

bool SharedWrites::has(const Writes& writes, const TrackedBuffer& buffer) {
  return std::any_of(writes.begin(), writes.end(),
                     [&](const Write& write) { return write.buffer.get() == &buffer; });
}

void SharedWrites::begin(TrackedBuffer& buffer, const Point& command) {
  const std::lock_guard lock(mutex_);
  writes_.push_back(
      {std::static_pointer_cast<TrackedBuffer>(buffer.shared_from_this()), command, {}});
  count_.store(writes_.size(), std::memory_order_release);
}

void SharedWrites::given(std::uint32_t first, std::uint32_t last, const Completion& event,
                         bool in_order) {
  Writes taken;
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<const TrackedBuffer*, std::uint32_t>> later;  // and its stream
  for (Write& write : writes_) {
    if (write.command.command < first || write.command.command > last || write.event) continue;
    write.event = event;
    if (in_order) later.emplace_back(write.buffer.get(), write.command.stream);
  }
  if (later.empty()) return;
  take(taken, [&](const Write& write) {
    return write.command.command < first &&
           std::find(later.begin(), later.end(),
                     std::pair(static_cast<const TrackedBuffer*>(write.buffer.get()),
                               write.command.stream)) != later.end();
  });
}

void SharedWrites::refused(std::uint32_t first, std::uint32_t last) {
  if (!are_any()) return;
  Writes taken;
  const std::lock_guard lock(mutex_);
  take(taken, [&](const Write& write) {
    return write.command.command >= first && write.command.command <= last;
  });
}

bool SharedWrites::are_under_way(const TrackedBuffer& buffer) {
  if (!are_any()) return false;
  const std::lock_guard lock(mutex_);
  return has(writes_, buffer);
}

void SharedWrites::forget(const TrackedBuffer& buffer) {
  if (!are_any()) return;
  Writes taken;
  const std::lock_guard lock(mutex_);
  take(taken, [&](const Write& write) { return write.buffer.get() == &buffer; });
}

}  // namespace reel::capture
