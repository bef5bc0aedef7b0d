// call_end.cpp - the part of a CallRecording that learns what is done and when it ran, and ends.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "recording/calls/call_recording.hpp"
#include "recording/calls/held_back.hpp"

namespace reel::capture {

namespace {

// Without anything getting done, while the program has not set an event of its own.
constexpr std::chrono::milliseconds most_for_user_event{50};
// How long the release of memory waits for what writes it, or reads it for us.
constexpr std::chrono::seconds most_for_release{5};
// A queue of the program goes, and its context with it.
constexpr std::chrono::milliseconds most_for_queue{200};

// At the end of the block, whatever way it is left.
struct Forgetting {
  HostPages& pages;
  const void* key;
  ~Forgetting() { pages.forget(key); }
};

}  // namespace

// --- stamps -------------------------------------------------------------------------------------

bool CallRecording::collect(TrackedQueue& queue, CallQueue& record) {
  const std::size_t before = record.under_way();
  record.since_collected = 0;
  document_.wait_for_room(*record.log);
  take_asked(record);
  auto& stamps = record.stamps;
  stamps.clear();
  std::ptrdiff_t done = 0;
  for (const CallQueue::Pending& front : record.pending) {
    // The status first: a command that ends between the two questions would have no times, and one
    // that failed has times, too.
    const int status = record.api.status(front.done.get());
    if (status > 0) break;
    if (front.is_submission) {
      if (queue.can_stamp) take_times(record, front);
    } else if (document::StampRow row{};
               queue.can_stamp && record.api.stamps(front.done.get(), row)) {
      row.command = front.command;
      stamps.push_back(row);
      record.clock.look_at(front.begin_ns, front.end_ns, row.queued_ns);
    }
    if (status < 0) failed(front.command, record.api.words(status));
    --record.lanes[front.lane].pending;
    ++done;
  }
  // Without us the driver lets go of its events itself: that is no time of ours.
  const std::uint64_t begin_ns = monotonic_ns();
  record.pending.erase(record.pending.begin(), record.pending.begin() + done);
  DocumentThread::told_ns() += monotonic_ns() - begin_ns;
  if (!stamps.empty()) {
    std::copy(stamps.begin(), stamps.end(), reserve_stamps(*record.log, stamps.size()));
    record.log->commit();
  }
  if (record.clock.is_due()) note_clock(record.clock, note_device(queue.api, queue.device));
  return record.under_way() < before;
}

void CallRecording::take_times(CallQueue& record, const CallQueue::Pending& done) {
  SubmissionTimes& times = record.times;
  times.commands.clear();
  record.api.times(done.done.get(), done.command, times);
  std::uint64_t started_ns = ~std::uint64_t{0}, ended_ns = 0;
  for (const TimedCommands& one : times.commands) {
    started_ns = std::min(started_ns, one.begin_ns);
    ended_ns = std::max(ended_ns, one.end_ns);
    const std::uint32_t first = done.command + one.first;
    if (one.is_alone)
      record.stamps.push_back({first, 0, 0, one.begin_ns, one.end_ns});
    else
      document_.push(document::IntervalRow{first, one.count, record.lanes[done.lane].stream,
                                           one.begin_ns, one.end_ns});
  }
  if (!times.commands.empty() && !record.has_clock)
    record.clock.bracket(done.begin_ns, started_ns, ended_ns, times.seen_ns);
}

void CallRecording::failed(std::uint32_t command, std::string_view status) {
  note("failed", fmt::format("c{} failed: it ended with {}; what devices had written by then is "
                             "not checked.",
                             command, status));
  ledger_.forget_device_written();
}

bool CallRecording::wait_until_done(TrackedQueue& queue, CallQueue& record,
                                    std::chrono::milliseconds most) {
  if (most.count() > 0) record.api.flush(record.handle.get());
  // What waits for an event of the program's waits for the program, which may be waiting for us.
  if (held_back::is_any_event_unset()) most = std::min(most, most_for_user_event);
  auto last = std::chrono::steady_clock::now();
  for (int rounds = 0;; ++rounds) {
    const auto now = std::chrono::steady_clock::now();
    if (collect(queue, record)) last = now;
    if (record.under_way() == 0) return true;
    if (now - last > most) return false;
    if (rounds < 64)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

// --- ends ---------------------------------------------------------------------------------------

std::vector<std::shared_ptr<TrackedQueue>> CallRecording::queues() {
  const std::lock_guard lock(mutex_);
  return queues_;
}

// A callback of the driver may release memory while another thread is inside the driver with a
// queue's lock; neither may wait for the other.
std::pair<std::shared_ptr<TrackedQueue>, std::unique_lock<std::recursive_mutex>>
CallRecording::queue_of_lane(std::uint32_t stream, const TrackedBuffer& buffer, bool& is_busy) {
  for (auto& queue : queues()) {
    if (&queue->api != &buffer.api || !buffer.api.may_use(*queue, buffer)) continue;
    std::unique_lock lock(queue->mutex, std::try_to_lock);
    is_busy = is_busy || !lock;
    if (!lock || !queue->record || queue->record->capture != number) continue;
    if (std::ranges::find(queue->record->lanes, stream, &Lane::stream) !=
        queue->record->lanes.end())
      return {std::move(queue), std::move(lock)};
  }
  return {};
}

void CallRecording::freed(TrackedBuffer& buffer) noexcept {
  quietly([&] {
    const Forgetting forgetting{host_pages_, &buffer};
    shared_writes_.forget(buffer);
    // The memory is the program's again once this returns.
    if ((buffer.address || buffer.is_lent) && held_back::is_free(held_back::now()))
      wait_for_all(own_reads_.of(buffer));
    const std::vector<Piece> pieces = ledger_.release(buffer);
    if (buffer.noted_in.load(std::memory_order_relaxed) != number) return;
    document_.push(
        document::AllocationRow{true, static_cast<std::uint32_t>(buffer.id), monotonic_ns()});
    if (pieces.empty() || contents == Contents::none || buffer.is_strange) return;
    const std::uint32_t writer = buffer.writer_command.load(std::memory_order_relaxed);
    bool is_busy = false;
    const auto [queue, lock] =
        queue_of_lane(buffer.writer_stream.load(std::memory_order_relaxed), buffer, is_busy);
    if (!queue && is_busy) {
      missing(buffer, "it was released while another thread gave commands to its queue");
      return;
    }
    CallQueue* record = queue && queue->record->handle ? queue->record.get() : nullptr;
    if (buffer.address) {
      if (record && !wait_until_done(*queue, *record, most_for_release))
        missing(buffer, "it was released before the commands that write it were done");
      else
        for (const Piece& piece : pieces) check_shared(piece, writer, CheckMoment::unknown);
      return;
    }
    if (!record) {
      // The queue went before, and only after all it was given was done.
      const auto reader = buffer.api.open_reader();
      for (const Piece& piece : pieces)
        read_now(
            piece, writer, CheckMoment::unknown,
            [&](const BufferRange& range, std::span<std::byte> target) {
              return reader->read(range, target);
            },
            [] { return true; });
      return;
    }
    std::vector<void*> waits;
    if (!queue->in_order)
      for (const auto& pending : record->pending) waits.push_back(pending.done.get());
    read_pieces(*record, ContentRole::check, writer, pieces,
                {.order = {nullptr, waits}, .moment = CheckMoment::unknown});
    record->api.flush(record->handle.get());
    // Once it let go of the object the program may take back the memory that it lent for it.
    if (buffer.is_lent)
      wait_until_done(*queue, *record, most_for_release);
    else
      collect(*queue, *record);  // what we hold may hold the memory
  });
}

void CallRecording::queue_released(TrackedQueue& queue) noexcept {
  quietly([&] {
    const std::lock_guard lock(queue.mutex);
    if (!queue.record || queue.record->capture != number) return;
    // The program's context goes when its last queue does, so ours may not stay longer than it
    // must; but nobody waits for a device that waits for the program.
    if (wait_until_done(queue, *queue.record, most_for_queue)) queue.record->handle = {};
  });
}

void CallRecording::wait_for_work(std::chrono::milliseconds patience) noexcept {
  quietly([&] {
    for (const auto& queue : queues()) {
      const std::unique_lock lock(queue->mutex, std::try_to_lock);
      if (lock && queue->record && queue->record->capture == number && queue->record->handle)
        wait_until_done(*queue, *queue->record, patience);
    }
  });
}

// Commands that other threads give meanwhile are not recorded; once one was, results can't be told
// from its own.
void CallRecording::read_results() {
  const std::uint64_t begin_ns = monotonic_ns();
  const std::uint32_t count = commands();
  if (count == 0) return;
  std::uint64_t total = 0;
  std::map<ApiAdapter*, std::unique_ptr<DirectReader>> readers;
  for (const auto& [piece, held] : ledger_.device_written()) {
    auto& buffer = static_cast<TrackedBuffer&>(*piece.buffer);
    if (buffer.is_strange || !is_still_ours() || document_.is_lost()) continue;
    if (buffer.address) {
      total += check_shared(piece, count - 1, CheckMoment::end);
      continue;
    }
    auto& reader = readers[&buffer.api];
    if (!reader) reader = buffer.api.open_reader();
    if (reader->hold(buffer))
      total += read_now(
          piece, count - 1, CheckMoment::end,
          [&](const BufferRange& range, std::span<std::byte> target) {
            return reader->read(range, target);
          },
          [&] { return is_still_ours(); });
    else
      missing(buffer, "the program released it while the capture ended");
  }
  if (!is_still_ours())
    note("contents_missing",
         "The program gave commands while the capture ended; what was in memory then is not a "
         "result of what was recorded, and is left out.");
  overhead(OverheadKind::checks, begin_ns, total);
}

CaptureReport CallRecording::end(std::chrono::milliseconds patience,
                                 const std::function<void()>& results_read) {
  will_end();
  const std::vector<std::shared_ptr<TrackedQueue>> queues = this->queues();
  bool all_done = true;
  for (const auto& queue : queues) {
    const std::lock_guard lock(queue->mutex);
    CallQueue& record = *queue->record;
    if (!record.handle) continue;
    quietly([&] {
      if (wait_until_done(*queue, record, patience)) return;
      all_done = false;
      note("unfinished",
           fmt::format("Stream s{} was still running when the capture ended; times and results of "
                       "its last {} commands are missing.",
                       record.lanes[0].stream, record.pending.size()));
    });
  }
  const std::uint64_t begin_ns = monotonic_ns();  // waiting for the work was not capture's own
  if (all_done && contents != Contents::none)
    quietly([&] {
      take_shared_done();  // the program may never have waited for it
      read_results();
    });
  results_read();
  for (const auto& queue : queues) {
    const std::lock_guard lock(queue->mutex);
    CallQueue& record = *queue->record;
    is_read_ = is_read_ && record.readings->load(std::memory_order_acquire) == 0;
    if (!record.asked.empty()) unread_.push_back(std::move(record.asked));
    queue->record.reset();
  }
  std::set<std::string_view> apis;  // that it has work of, whichever were loaded when it began
  quietly([&] {
    const std::lock_guard lock(mutex_);
    for (const auto& [device, device_number] : devices_) {
      look_at_clock(*device.first, device.second, device_number);
      apis.insert(device.first->name());
    }
    overhead(OverheadKind::stopping, begin_ns, 0);
  });
  document::Facts facts;
  if (std::ranges::any_of(queues, [](const auto& queue) { return !queue->is_ordered; }))
    facts["queue_orders"] = knows_all_orders_.load() ? "all" : "some";
  if (!apis.empty()) facts["api"] = fmt::format("{}", fmt::join(apis, ", "));
  return close_document(std::move(facts));
}

}  // namespace reel::capture
