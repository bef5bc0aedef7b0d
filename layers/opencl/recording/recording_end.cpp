// recording_end.cpp - the part of a Recording that learns what is done and when it ran, and ends.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "layers/opencl/held_back.hpp"
#include "layers/opencl/recording/recording.hpp"

namespace reel::layer {

namespace {

// Without anything getting done, while the program has not set a user event.
constexpr std::chrono::milliseconds most_for_user_event{50};

}  // namespace

// --- stamps -------------------------------------------------------------------------------------

bool Recording::collect(Queue& queue, QueueRecord& record) {
  const std::size_t before = record.pending.size() + record.readings->load();
  record.since_collected = 0;
  document_.wait_for_room(*record.log);
  auto& stamps = record.stamps;
  stamps.clear();
  std::size_t done = 0;
  for (const QueueRecord::Pending& front : record.pending) {
    const auto get = [&](cl_profiling_info what) {
      cl_ulong ns = 0;
      if (next().clGetEventProfilingInfo(front.event.get(), what, sizeof ns, &ns, nullptr) !=
          CL_SUCCESS)
        ns = 0;
      return ns;
    };
    // The status first: a command that ends between the two questions would have no times, and one
    // that failed has times, too.
    cl_int state = CL_COMPLETE;
    if (next().clGetEventInfo(front.event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                              &state, nullptr) != CL_SUCCESS)
      state = CL_COMPLETE;  // a driver that can't tell would keep it for ever
    if (state > CL_COMPLETE) break;
    const cl_ulong ended_ns = queue.can_stamp ? get(CL_PROFILING_COMMAND_END) : 0;
    if (state < 0) failed(front.command, fmt::format("{} ({})", status_name(state), state));
    if (ended_ns != 0) {
      stamps.push_back({front.command, get(CL_PROFILING_COMMAND_QUEUED),
                        get(CL_PROFILING_COMMAND_SUBMIT), get(CL_PROFILING_COMMAND_START),
                        ended_ns});
      record.clock.look_at(front.begin_ns, front.end_ns, stamps.back().queued_ns);
    }
    --record.lanes[front.lane].pending;
    ++done;
  }
  // Without us the driver lets go of its events itself: that is no time of ours.
  const std::uint64_t begin_ns = monotonic_ns();
  record.pending.erase(record.pending.begin(),
                       record.pending.begin() + static_cast<std::ptrdiff_t>(done));
  capture::DocumentThread::told_ns() += monotonic_ns() - begin_ns;
  if (!stamps.empty()) {
    std::copy(stamps.begin(), stamps.end(), capture::reserve_stamps(*record.log, stamps.size()));
    record.log->commit();
    if (record.clock.is_due()) note_clock(record.clock, note_device(queue.device));
  }
  return record.pending.size() + record.readings->load() < before;
}

bool Recording::wait_until_done(Queue& queue, QueueRecord& record, std::chrono::milliseconds most) {
  if (most.count() > 0) next().clFlush(record.handle);
  // What waits for a user event waits for the program, which may be waiting for us here.
  if (held_back::is_any_event_unset()) most = std::min(most, most_for_user_event);
  auto last = std::chrono::steady_clock::now();
  for (int rounds = 0;; ++rounds) {
    const auto now = std::chrono::steady_clock::now();
    if (collect(queue, record)) last = now;
    if (record.pending.empty() && record.readings->load(std::memory_order_acquire) == 0)
      return true;
    if (now - last > most) return false;
    if (rounds < 64)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

// --- ends ---------------------------------------------------------------------------------------

void Recording::let_go(QueueRecord& record) {
  if (!record.handle) return;
  next().clReleaseCommandQueue(std::exchange(record.handle, nullptr));
}

void Recording::queue_released(Queue& queue) noexcept {
  quietly([&] {
    const std::lock_guard lock(queue.mutex);
    if (!queue.record || queue.record->capture != number) return;
    // The program's context goes when its last queue does, so ours may not stay longer than it
    // must; but nobody waits for a device that waits for the program.
    if (wait_until_done(queue, *queue.record, std::chrono::milliseconds(200)))
      let_go(*queue.record);
  });
}

std::vector<std::shared_ptr<Queue>> Recording::queues() {
  std::vector<std::shared_ptr<Queue>> queues;
  const std::lock_guard lock(mutex_);
  for (const auto& queue : queues_) queues.push_back(std::static_pointer_cast<Queue>(queue));
  return queues;
}

void Recording::wait_for_work(std::chrono::milliseconds patience) noexcept {
  quietly([&] {
    for (const auto& queue : queues()) {
      const std::unique_lock lock(queue->mutex, std::try_to_lock);
      if (lock && queue->record && queue->record->capture == number && queue->record->handle)
        wait_until_done(*queue, *queue->record, patience);
    }
  });
}

CaptureReport Recording::end(std::chrono::milliseconds patience) {
  is_ending_.store(true, std::memory_order_release);
  const std::vector<std::shared_ptr<Queue>> queues = this->queues();
  bool all_done = true;
  for (const auto& queue : queues) {
    const std::lock_guard lock(queue->mutex);
    QueueRecord& record = *queue->record;
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
  if (all_done && contents != Contents::none) quietly([&] { read_results(); });
  for (const auto& queue : queues) {
    const std::lock_guard lock(queue->mutex);
    QueueRecord& record = *queue->record;
    record.pending.clear();
    is_read_ = is_read_ && record.readings->load(std::memory_order_acquire) == 0;
    let_go(record);
    queue->record.reset();
  }
  quietly([&] { overhead(OverheadKind::stopping, begin_ns, 0); });
  return close_document();
}

}  // namespace reel::layer
