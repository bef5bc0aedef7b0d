#include "recording/calls/shared_writes.hpp"

#include <algorithm>
#include <tuple>

#include "base/range_set.hpp"

namespace reel::capture {

bool SharedWrites::has(const Writes& writes, const TrackedBuffer& buffer, std::uint64_t first,
                       std::uint64_t end) {
  return std::any_of(writes.begin(), writes.end(), [&](const Write& write) {
    return write.buffer.get() == &buffer && write.first < end && first < write.end;
  });
}

// A part that something under way writes is done with that; the host may write the rest from now
// on. A driver may be done with a later command when one before it can't be asked for yet.
void SharedWrites::add_done(const Writes& taken, std::vector<Done>& done) {
  for (const Write& write : taken) {
    RangeSet under_way;
    for (Write& other : writes_) {
      if (other.buffer != write.buffer) continue;
      under_way.add(other.first, other.end);
      if (other.first < write.end && write.first < other.end)
        other.last = std::max(other.last, write.last);
    }
    under_way.for_each_gap(write.first, write.end, [&](std::uint64_t first, std::uint64_t end) {
      if (std::none_of(done.begin(), done.end(), [&](const Done& one) {
            return one.buffer == write.buffer && one.first == first && one.end == end;
          }))
        done.push_back({write.buffer, first, end, write.last});
    });
  }
  // Others of those that are done may have written a part of it since.
  for (Done& one : done)
    for (const Write& write : taken)
      if (write.buffer == one.buffer && write.first < one.end && one.first < write.end)
        one.command = std::max(one.command, write.last);
}

void SharedWrites::begin(TrackedBuffer& buffer, std::uint64_t first, std::uint64_t end,
                         const Point& command) {
  const std::lock_guard lock(mutex_);
  // Commands that are given together write the same again and again: the last one counts.
  constexpr std::ptrdiff_t looked_at = 32;
  const auto end_of =
      writes_.rend() - writes_.rbegin() > looked_at ? writes_.rbegin() + looked_at : writes_.rend();
  const auto same = std::find_if(writes_.rbegin(), end_of, [&](const Write& write) {
    return write.buffer.get() == &buffer && write.first == first && write.end == end &&
           write.command.stream == command.stream && !write.event;
  });
  if (same != end_of) {
    same->command = command;
    same->last = command.command;
    return;
  }
  writes_.push_back({std::static_pointer_cast<TrackedBuffer>(buffer.shared_from_this()),
                     first,
                     end,
                     command,
                     {},
                     command.command});
  count_.store(writes_.size(), std::memory_order_release);
}

void SharedWrites::given(std::uint32_t first, std::uint32_t last, const Completion& event,
                         bool in_order) {
  Writes taken;
  const std::lock_guard lock(mutex_);
  std::vector<const Write*> later;
  for (Write& write : writes_) {
    if (write.command.command < first || write.command.command > last || write.event) continue;
    write.event = event;
    if (in_order) later.push_back(&write);
  }
  if (later.empty()) return;
  std::vector<std::tuple<const TrackedBuffer*, std::uint32_t, std::uint64_t, std::uint64_t>> covers;
  for (const Write* write : later)
    covers.emplace_back(write->buffer.get(), write->command.stream, write->first, write->end);
  take(taken, [&](const Write& write) {
    return write.command.command < first &&
           std::any_of(covers.begin(), covers.end(), [&](const auto& one) {
             const auto& [buffer, stream, from, to] = one;
             return buffer == write.buffer.get() && stream == write.command.stream &&
                    from <= write.first && write.end <= to;
           });
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

bool SharedWrites::are_under_way(const TrackedBuffer& buffer, std::uint64_t first,
                                 std::uint64_t end) {
  if (!are_any()) return false;
  const std::lock_guard lock(mutex_);
  return has(writes_, buffer, first, end);
}

void SharedWrites::forget(const TrackedBuffer& buffer) {
  if (!are_any()) return;
  Writes taken;
  const std::lock_guard lock(mutex_);
  take(taken, [&](const Write& write) { return write.buffer.get() == &buffer; });
}

}  // namespace reel::capture
