// recording_end.cpp - the part of a Recording that begins and ends it among threads that go on
// working: from which command on, up to which, what is waited for, and what the driver tells of it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "capture/recorded_stream.hpp"
#include "capture/recording.hpp"
#include "recording/writing/call_meter.hpp"
#include "runtime/device_state.hpp"
#include "runtime/stream_state.hpp"

namespace reel::capture {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// How long a capture waits for a device that gets nothing done, or for a stream that somebody
// holds, before it does without.
constexpr auto patience = 5s;
// How long other threads may be kept from giving work to the streams whose results are read.
constexpr auto courtesy = 200ms;

std::atomic<bool> hurried{false};

// Somebody may be stuck in a driver with it: then there is none.
std::unique_lock<std::mutex> lock_of(const StreamState& stream) {
  const auto begin = Clock::now();
  auto lock = stream.try_lock();
  while (!lock && Clock::now() - begin < (hurried.load() ? courtesy : patience)) {
    std::this_thread::sleep_for(20us);
    lock = stream.try_lock();
  }
  return lock;
}

}  // namespace

// --- stamps -------------------------------------------------------------------------------------

bool Recording::collect(StreamState& stream, RecordedStream& record) {
  const std::size_t pending = record.launches.size() + record.contents.size();
  record.since_collected = 0;
  document_.wait_for_room(*record.log);
  record.stamps.clear();
  stream.collect_stamps(record.stamps);
  if (!record.stamps.empty()) {
    document::StampRow* row = reserve_stamps(*record.log, record.stamps.size());
    for (const TicketStamps& t : record.stamps)
      *row++ = {static_cast<std::uint32_t>(t.ticket), t.stamps.queued_ns, t.stamps.submitted_ns,
                t.stamps.started_ns, t.stamps.ended_ns};
    record.log->commit();
  }
  collect_launches(record);
  collect_contents(record);
  return !record.stamps.empty() || record.launches.size() + record.contents.size() < pending;
}

void Recording::collect_launches(RecordedStream& record) {
  while (!record.launches.empty() && record.launches.front().done->done()) {
    const RecordedStream::PendingLaunch launch = std::move(record.launches.front());
    record.launches.pop_front();
    const std::vector<StepTime> times = launch.times->collect();
    if (times.empty()) continue;
    document::StampRow* row = reserve_stamps(*record.log, times.size() + 1);
    document::StampRow whole{launch.command, 0, 0, times[0].begin_ns, times[0].end_ns};
    for (const StepTime& time : times) {
      *row++ = {launch.commands[time.step], 0, 0, time.begin_ns, time.end_ns};
      whole.started_ns = std::min(whole.started_ns, time.begin_ns);
      whole.ended_ns = std::max(whole.ended_ns, time.end_ns);
    }
    *row = whole;
    record.log->commit();
  }
}

void Recording::collect_contents(RecordedStream& record) {
  while (!record.contents.empty() && record.contents.front().done->done()) {
    for (Reading& reading : record.contents.front().contents) arrived(reading);
    record.contents.pop_front();
  }
}

// --- order --------------------------------------------------------------------------------------

RecordedPoint Recording::point(StreamState& stream) {
  RecordedPoint point;
  quietly([&] {
    const auto* record = static_cast<const RecordedStream*>(stream.recorded.get());
    if (!record || record->capture != number) return;
    std::vector<Point> given;
    record->add_given(given);
    for (const Point& one : given) point.after.push_back({one.stream, one.command});
    if (!point.after.empty()) point.capture = number;
  });
  return point;
}

// Of a stream whose commands are not recorded too: another may wait for it, and then comes after
// what this one waited for.
void Recording::wait(StreamState& stream, const RecordedPoint& point) {
  if (point.capture != number) return;
  quietly([&] {
    auto& waits = record_of(stream).carried;
    for (const RecordedPlace& place : point.after)
      if (place.stream != static_cast<std::uint32_t>(stream.id))
        add_point(waits, {place.stream, place.command});
  });
}

void Recording::waited(StreamState& stream) {
  auto* record = static_cast<RecordedStream*>(stream.recorded.get());
  if (!record || record->capture != number) return;
  CallMeter meter;
  meter.begin_surely();
  quietly([&] { collect(stream, *record); });
  add_command_time(meter.end());
}

void Recording::host_waited(const RecordedPoint& point) {
  if (point.capture != number) return;
  quietly([&] {
    for (const RecordedPlace& place : point.after)
      host_waits_.saw_done(place.stream, place.command);
  });
}

// --- begin and end ------------------------------------------------------------------------------

void Recording::hurry() noexcept { hurried.store(true); }
bool Recording::is_hurried() noexcept { return hurried.load(); }

// A thread that saw no recorder gives its command with its stream's lock held. Once each lock has
// been ours, all of those are given, and everybody else comes to us.
void Recording::open() {
  for (const auto& stream : StreamState::all())
    if (!lock_of(*stream))
      note("unfinished", fmt::format("Stream s{} '{}' was being given a command for seconds when "
                                     "the capture began; that command is not in it.",
                                     static_cast<std::uint32_t>(stream->id), stream->label));
  const std::lock_guard lock(mutex_);
  phase_.store(Phase::open, std::memory_order_relaxed);
}

// A stream may be recorded for the first time while we take the locks of the others: then again.
void Recording::cut(Locks& locks) {
  std::vector<std::shared_ptr<StreamState>> streams;
  for (std::size_t known = 0;;) {
    locks.clear();
    {
      const std::lock_guard lock(mutex_);
      known = streams_.size();
      streams.clear();
      for (const auto& weak : streams_)
        if (auto stream = weak.lock()) streams.push_back(std::move(stream));
    }
    std::sort(streams.begin(), streams.end(),
              [](const auto& a, const auto& b) { return a->id < b->id; });
    for (const auto& stream : streams) locks.push_back(lock_of(*stream));
    const std::lock_guard lock(mutex_);
    if (streams_.size() != known) continue;
    phase_.store(Phase::cut, std::memory_order_relaxed);
    break;
  }
  for (std::size_t i = streams.size(); i-- > 0;) {
    if (locks[i]) continue;
    note("unfinished", fmt::format("Stream s{} '{}' was being given a command for seconds when the "
                                   "capture ended; times and results of its last commands are "
                                   "missing.",
                                   static_cast<std::uint32_t>(streams[i]->id), streams[i]->label));
    streams.erase(streams.begin() + static_cast<std::ptrdiff_t>(i));
    locks.erase(locks.begin() + static_cast<std::ptrdiff_t>(i));
    is_stuck_ = true;
  }
  for (const auto& stream : streams) {
    ends_.push_back({stream, stream->mark_aside()});
    stream->flush_aside();
  }
  if (contents != Contents::none && !is_stuck_) final_checks_.watch(ledger_);
}

void Recording::cut_behind(StreamState& stream) {
  quietly([&] {
    Locks locks;
    cut(locks);
    const auto own = std::find_if(ends_.begin(), ends_.end(),
                                  [&](const End& end) { return end.stream.get() == &stream; });
    if (own == ends_.end()) return;
    const auto finals = final_checks_.take(stream.id, [&](const FinalChecks::Check& check) {
      return check.buffer->device == stream.device;
    });
    if (finals.empty()) return;
    for (const End& end : ends_)
      if (&end != &*own && end.stream->device == stream.device) stream.wait_aside(end.done);
    read_pieces(stream, static_cast<RecordedStream&>(*stream.recorded), ContentRole::check,
                next_command_.load(std::memory_order_relaxed) - 1, final_checks_.pieces(finals),
                finals);
    own->done = stream.mark_aside();
    stream.flush_aside();
  });
}

bool Recording::is_work_done() {
  return std::all_of(ends_.begin(), ends_.end(), [](const End& end) { return end.done->done(); });
}

// Without Signal::wait, which would take an error that is the program's to see. A stream with
// minutes of work is waited for as long as something of it gets done.
void Recording::wait_until_done(std::vector<End>& ends, Locks* locks) {
  // True when something got done.
  const auto collect_of = [&](StreamState& stream) {
    auto& record = static_cast<RecordedStream&>(*stream.recorded);
    if (record.capture != number) return false;
    if (!locks || !locks->empty()) return collect(stream, record);
    const auto lock = lock_of(stream);
    return lock && collect(stream, record);
  };
  auto last_done = Clock::now();
  for (int rounds = 0;; ++rounds) {
    std::erase_if(ends, [&](const End& end) {
      if (!end.done->done()) return false;
      collect_of(*end.stream);
      last_done = Clock::now();
      return true;
    });
    if (ends.empty()) return;
    if (rounds < 64) {
      std::this_thread::yield();
      continue;
    }
    if (hurried.load()) return;
    std::this_thread::sleep_for(50us);
    if (rounds % 256 != 0) continue;  // some 20 ms
    for (const End& end : ends)
      if (collect_of(*end.stream)) last_done = Clock::now();
    const auto idle = Clock::now() - last_done;
    if (locks && idle > courtesy) locks->clear();
    if (idle > patience) return;
  }
}

void Recording::stream_ends(StreamState& stream) {
  auto* record = static_cast<RecordedStream*>(stream.recorded.get());
  if (!record || record->capture != number || !record->is_in_document) return;
  quietly([&] {
    // Nobody else has it, and nobody owns it any more.
    std::vector<End> end{
        {std::shared_ptr<StreamState>(std::shared_ptr<void>(), &stream), stream.mark_aside()}};
    stream.flush_aside();
    wait_until_done(end, nullptr);
    if (end.empty())
      host_waited({number, {{static_cast<std::uint32_t>(stream.id), record->last_command()}}});
  });
}

// Other threads are kept from the streams while the checks are read, as long as that is short:
// most results are then as the last recorded command left them.
void Recording::settle() {
  quietly([&] {
    Locks locks;
    if (phase_.load(std::memory_order_relaxed) != Phase::cut) cut(locks);
    std::vector<End> left = ends_;
    wait_until_done(left, &locks);
    for (const End& end : left)
      note("unfinished",
           fmt::format("Stream s{} '{}' was still running when the capture ended; "
                       "times and results of its last commands are missing.",
                       static_cast<std::uint32_t>(end.stream->id), end.stream->label));
    if (contents != Contents::none && left.empty() && !is_stuck_) read_final_checks();
  });
}

CaptureReport Recording::close() {
  const std::uint64_t begin_ns = monotonic_ns();  // waiting for the work was not capture's own
  quietly([&] {
    for (const auto& [pointer, device] : devices_) note_clock(*device);
    overhead(OverheadKind::stopping, begin_ns, 0);
  });
  return close_document();
}

}  // namespace reel::capture
