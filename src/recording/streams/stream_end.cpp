// stream_end.cpp - the part of a StreamRecording that begins and ends it among threads that go on
// working: from which command on, up to which, what is waited for, and what the driver tells of it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/id_number.hpp"
#include "recording/streams/stream_recording.hpp"

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

}  // namespace

// --- what gets done -----------------------------------------------------------------------------

bool StreamRecording::collect(RecordedStream& stream) {
  const std::size_t pending = stream.contents.size();
  stream.since_collected = 0;
  document_.wait_for_room(*stream.log);
  const bool is_any_done = stream.take_stamps();
  collect_contents(stream);
  return is_any_done || stream.contents.size() < pending;
}

void StreamRecording::stream_done(RecordedStream& stream) {
  CallMeter meter;
  meter.begin_surely();
  quietly([&] { collect(stream); });
  add_command_time(meter.end());
}

// --- begin and end ------------------------------------------------------------------------------

void StreamRecording::hurry() noexcept { hurried.store(true); }
bool StreamRecording::is_hurried() noexcept { return hurried.load(); }
std::chrono::milliseconds StreamRecording::lock_patience() noexcept {
  return hurried.load() ? courtesy : patience;
}

void StreamRecording::begin() {
  const std::lock_guard lock(mutex_);
  phase_.store(Phase::open, std::memory_order_relaxed);
}

void StreamRecording::note_busy(std::uint32_t stream, std::string_view label,
                                std::string_view what) {
  note("unfinished", fmt::format("Stream s{} '{}' was {}", stream, label, what));
}

// A stream may be recorded for the first time while we take the locks of the others: then again.
void StreamRecording::cut(Locks& locks) {
  std::vector<std::shared_ptr<RecordedStream>> streams;
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
    for (const auto& stream : streams)
      locks.push_back(lock_patiently([&] { return stream->try_lock(); }));
    const std::lock_guard lock(mutex_);
    if (streams_.size() != known) continue;
    phase_.store(Phase::cut, std::memory_order_relaxed);
    break;
  }
  for (std::size_t i = streams.size(); i-- > 0;) {
    if (locks[i]) continue;
    note_busy(id_number(streams[i]->id), streams[i]->label,
              "being given a command for seconds when the capture ended; times and results of its "
              "last commands are missing.");
    streams.erase(streams.begin() + static_cast<std::ptrdiff_t>(i));
    locks.erase(locks.begin() + static_cast<std::ptrdiff_t>(i));
    is_stuck_ = true;
  }
  for (const auto& stream : streams) {
    ends_.push_back({stream, stream->mark()});
    stream->flush();
  }
  if (contents != Contents::none && !is_stuck_) final_checks_.watch(ledger_);
}

void StreamRecording::cut_behind(StreamId id) {
  Locks locks;
  cut(locks);
  const auto own = std::ranges::find(ends_, id, [](const End& end) { return end.stream->id; });
  if (own == ends_.end()) return;
  RecordedStream& stream = *own->stream;
  const auto finals = final_checks_.take(id, [&](const FinalChecks::Check& check) {
    return check.buffer->device.get() == stream.device;
  });
  if (finals.empty()) return;
  for (const End& end : ends_)
    if (&end != &*own && end.stream->device == stream.device) stream.wait_for(end.done);
  read_pieces(stream, ContentRole::check, next_command_.load(std::memory_order_relaxed) - 1,
              final_checks_.pieces(finals), finals);
  own->done = stream.mark();
  stream.flush();
}

bool StreamRecording::is_work_done() {
  return std::ranges::all_of(ends_, [&](const End& end) { return is_done(*end.done); });
}

// Without Signal::wait, which would take an error that is the program's to see. A stream with
// minutes of work is waited for as long as something of it gets done.
void StreamRecording::wait_until_done(std::vector<End>& ends, Locks* locks) {
  // True when something got done.
  const auto collect_of = [&](RecordedStream& stream) {
    if (!locks || !locks->empty()) return collect(stream);
    const auto lock = lock_patiently([&] { return stream.try_lock(); });
    return lock && collect(stream);
  };
  auto last_done = Clock::now();
  for (int rounds = 0;; ++rounds) {
    std::erase_if(ends, [&](const End& end) {
      if (!is_done(*end.done)) return false;
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

void StreamRecording::stream_ends(RecordedStream& stream) {
  // Nobody owns it any more.
  std::vector<End> end{{{std::shared_ptr<void>(), &stream}, stream.mark()}};
  stream.flush();
  wait_until_done(end, nullptr);
  if (end.empty()) host_waits_.saw_done(id_number(stream.id), stream.last_command());
}

// Other threads are kept from the streams while the checks are read, as long as that is short:
// most results are then as the last recorded command left them.
void StreamRecording::settle() {
  quietly([&] {
    Locks locks;
    if (phase_.load(std::memory_order_relaxed) != Phase::cut) cut(locks);
    std::vector<End> left = ends_;
    wait_until_done(left, &locks);
    for (const End& end : left)
      note_busy(id_number(end.stream->id), end.stream->label,
                "still running when the capture ended; times and results of its last commands are "
                "missing.");
    if (contents != Contents::none && left.empty() && !is_stuck_) read_final_checks();
  });
}

}  // namespace reel::capture
