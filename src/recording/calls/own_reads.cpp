#include "recording/calls/own_reads.hpp"

#include <algorithm>

#include "recording/calls/held_back.hpp"

namespace reel::capture {

namespace {

bool overlap(const Range& a, const Range& b) noexcept {
  return a.offset_bytes < b.offset_bytes + b.size_bytes &&
         b.offset_bytes < a.offset_bytes + a.size_bytes;
}

// Queues to flush, so that nobody else need do it for our sake. The program may release one once
// our lock is gone and the read is done: they are held.
class ToFlush {
 public:
  ~ToFlush() {
    for (const HeldQueue& queue : queues_) queue.driver()->flush(queue.get());
  }
  void add(const OwnRead& read) {
    if (std::ranges::find(queues_, read.queue, &HeldQueue::get) == queues_.end())
      queues_.push_back(HeldQueue::of(*read.done.driver(), read.queue));
  }

 private:
  std::vector<HeldQueue> queues_;
};

bool waits_for(const OwnReads::Writer& writer, std::uint32_t command) {
  const Ticket& ticket = writer.ticket;
  for (std::uint32_t i = 0; i < ticket.program_waits; ++i) {
    const RecordedEvent* event = ticket.place->api.waited_for(ticket, i);
    if (event && event->capture == writer.capture && event->command == command) return true;
  }
  return false;
}

}  // namespace

std::shared_ptr<OwnRead> OwnReads::add(const Range& range, std::uint32_t command, void* queue,
                                       Completion done, Completion after) {
  auto read = std::make_shared<OwnRead>();
  read->range = range;
  read->held = range.storage->shared_from_this();
  read->command = command;
  read->queue = queue;
  read->moment = held_back::now();
  read->done = std::move(done);
  read->after = std::move(after);
  {
    const std::lock_guard lock(mutex_);
    by_buffer_[range.storage].push_back(read);
  }
  count_.fetch_add(1, std::memory_order_release);
  if (read->after) seen_by_host_.fetch_add(1, std::memory_order_release);
  return read;
}

void OwnReads::done(const std::shared_ptr<OwnRead>& read) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto list = by_buffer_.find(read->range.storage);
    if (list == by_buffer_.end()) return;
    const auto it = std::find(list->second.begin(), list->second.end(), read);
    if (it == list->second.end()) return;
    list->second.erase(it);
    if (list->second.empty()) by_buffer_.erase(list);
  }
  count_.fetch_sub(1, std::memory_order_release);
  if (read->after) seen_by_host_.fetch_sub(1, std::memory_order_release);
}

void OwnReads::before_write(const Range& range, const Writer& writer,
                            std::vector<Completion>& waits) {
  if (count_.load(std::memory_order_acquire) == 0) return;
  const void* queue = writer.ticket.place->handle.get();
  ToFlush to_flush;
  const std::lock_guard lock(mutex_);
  const auto list = by_buffer_.find(range.storage);
  if (list == by_buffer_.end()) return;
  for (const auto& read : list->second) {
    if (!overlap(read->range, range) || (writer.in_order && read->queue == queue)) continue;
    if (read->called_off.load(std::memory_order_relaxed)) continue;
    // A read is done soon after its command: who waits for that may wait for the read.
    if (!held_back::is_free(read->moment) && !waits_for(writer, read->command)) {
      read->called_off.store(true, std::memory_order_release);
      continue;
    }
    if (std::find(waits.begin(), waits.end(), read->done) != waits.end()) continue;
    waits.push_back(read->done);
    if (read->queue != queue) to_flush.add(*read);
  }
}

template <class F>
void OwnReads::for_each_seen(F&& visit) {
  if (seen_by_host_.load(std::memory_order_acquire) == 0) return;
  const std::lock_guard lock(mutex_);
  for (const auto& [buffer, list] : by_buffer_)
    for (const auto& read : list)
      if (read->after && read->after.is_done()) visit(*read);
}

std::vector<Completion> OwnReads::host_may_write() {
  std::vector<Completion> waits;
  ToFlush to_flush;
  for_each_seen([&](const OwnRead& read) {
    waits.push_back(read.done);
    to_flush.add(read);
  });
  return waits;
}

void OwnReads::call_off_where_host_may_write() noexcept {
  for_each_seen([](OwnRead& read) { read.called_off.store(true, std::memory_order_release); });
}

std::vector<Completion> OwnReads::of(const TrackedBuffer& buffer) {
  std::vector<Completion> waits;
  if (count_.load(std::memory_order_acquire) == 0) return waits;
  const std::lock_guard lock(mutex_);
  const auto list = by_buffer_.find(&buffer);
  if (list == by_buffer_.end()) return waits;
  for (const auto& read : list->second) waits.push_back(read->done);
  return waits;
}

}  // namespace reel::capture
