#include "layers/opencl/recording/own_reads.hpp"

#include <algorithm>

#include "layers/opencl/held_back.hpp"

namespace reel::layer {

namespace {

bool overlap(const Range& a, const Range& b) noexcept {
  return a.offset_bytes < b.offset_bytes + b.size_bytes &&
         b.offset_bytes < a.offset_bytes + a.size_bytes;
}

// The program may release it once our lock is gone and the read is done.
void add_held(std::vector<cl_command_queue>& queues, cl_command_queue queue) {
  if (std::find(queues.begin(), queues.end(), queue) != queues.end()) return;
  queues.push_back(queue);
  next().clRetainCommandQueue(queue);
}

// Nobody else need flush them for our sake.
void flush(const std::vector<cl_command_queue>& queues) {
  for (cl_command_queue queue : queues) {
    next().clFlush(queue);
    next().clReleaseCommandQueue(queue);
  }
}

bool waits_for(const OwnReads::Writer& writer, std::uint32_t command) {
  return std::any_of(writer.waits.begin(), writer.waits.end(), [&](cl_event one) {
    const auto* event = find<Event>(one);
    return event && event->capture == writer.capture && event->command == command;
  });
}

}  // namespace

std::shared_ptr<OwnRead> OwnReads::add(const Range& range, std::uint32_t command,
                                       cl_command_queue queue, bool in_order, cl_event event,
                                       cl_event after) {
  auto read = std::make_shared<OwnRead>();
  read->range = range;
  read->command = command;
  read->queue = queue;
  read->in_order = in_order;
  read->moment = held_back::now();
  read->event = HeldEvent::of(event);
  read->after = HeldEvent::of(after);
  {
    const std::lock_guard lock(mutex_);
    by_storage_[range.storage].push_back(read);
  }
  count_.fetch_add(1, std::memory_order_release);
  if (after) seen_by_host_.fetch_add(1, std::memory_order_release);
  return read;
}

void OwnReads::done(const std::shared_ptr<OwnRead>& read) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto list = by_storage_.find(read->range.storage);
    if (list == by_storage_.end()) return;
    const auto it = std::find(list->second.begin(), list->second.end(), read);
    if (it == list->second.end()) return;
    list->second.erase(it);
    if (list->second.empty()) by_storage_.erase(list);
  }
  count_.fetch_sub(1, std::memory_order_release);
  if (read->after) seen_by_host_.fetch_sub(1, std::memory_order_release);
}

void OwnReads::before_write(const Range& range, const Writer& writer,
                            std::vector<HeldEvent>& waits) {
  if (count_.load(std::memory_order_acquire) == 0) return;
  std::vector<cl_command_queue> to_flush;
  {
    const std::lock_guard lock(mutex_);
    const auto list = by_storage_.find(range.storage);
    if (list == by_storage_.end()) return;
    for (const auto& read : list->second) {
      if (!overlap(read->range, range) || (writer.in_order && read->queue == writer.queue))
        continue;
      if (read->called_off.load(std::memory_order_relaxed)) continue;
      // A read is done soon after its command: who waits for that may wait for the read.
      if (!held_back::is_free(read->moment) && !waits_for(writer, read->command)) {
        read->called_off.store(true, std::memory_order_release);
        continue;
      }
      if (std::ranges::find(waits, read->event.get(), &HeldEvent::get) != waits.end()) continue;
      waits.push_back(read->event);
      if (read->queue != writer.queue) add_held(to_flush, read->queue);
    }
  }
  flush(to_flush);
}

template <class F>
void OwnReads::for_each_seen(F&& visit) {
  if (seen_by_host_.load(std::memory_order_acquire) == 0) return;
  const std::lock_guard lock(mutex_);
  for (const auto& [storage, list] : by_storage_)
    for (const auto& read : list)
      if (read->after && read->after.is_done()) visit(*read);
}

std::vector<HeldEvent> OwnReads::host_may_write() {
  std::vector<HeldEvent> waits;
  std::vector<cl_command_queue> to_flush;
  for_each_seen([&](OwnRead& read) {
    waits.push_back(read.event);
    add_held(to_flush, read.queue);
  });
  flush(to_flush);
  return waits;
}

void OwnReads::call_off_where_host_may_write() noexcept {
  for_each_seen([](OwnRead& read) { read.called_off.store(true, std::memory_order_release); });
}

std::vector<HeldEvent> OwnReads::of(const Storage& storage) {
  std::vector<HeldEvent> waits;
  if (count_.load(std::memory_order_acquire) == 0) return waits;
  const std::lock_guard lock(mutex_);
  const auto list = by_storage_.find(&storage);
  if (list == by_storage_.end()) return waits;
  for (const auto& read : list->second) waits.push_back(read->event);
  return waits;
}

}  // namespace reel::layer
