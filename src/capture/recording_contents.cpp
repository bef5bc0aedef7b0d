// recording_contents.cpp - the part of a Recording that reads buffers: inputs before a command
// needs them, checks of what was written, and all that is left at the end.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "capture/recorded_stream.hpp"
#include "capture/recording.hpp"
#include "runtime/device_state.hpp"
#include "runtime/stream_state.hpp"

namespace reel::capture {

namespace {

using namespace std::chrono_literals;

// Read in one go; a multiple of a page.
constexpr std::uint64_t piece_bytes = 8 * page_bytes;
// How long a capture waits for memory, or for a device that gets nothing done, before it does
// without. A program may have blocked the device until it gets on itself.
constexpr auto patience = 5s;

BufferRange range_of(const Piece& piece, std::uint64_t at) {
  BufferRange range;
  range.buffer = piece.buffer;
  range.offset_bytes = piece.offset_bytes + at;
  range.size_bytes = std::min(piece_bytes, piece.size_bytes - at);
  return range;
}

}  // namespace

bool Recording::stores(ContentRole role) const noexcept {
  return contents_ == Contents::all ||
         (contents_ == Contents::inputs && role != ContentRole::check);
}

void Recording::missing(const BufferResource& buffer, std::string_view why) {
  note("contents_missing", fmt::format("Contents of b{} '{}' are missing: {}.",
                                       static_cast<std::uint32_t>(buffer.id), buffer.label, why));
}

template <class WhileWaiting>
std::optional<Block> Recording::take_memory(std::uint64_t size_bytes,
                                            WhileWaiting&& while_waiting) {
  auto block = memory_->try_take(size_bytes);
  if (block) return block;
  const std::uint64_t begin_ns = monotonic_ns();
  const auto begin = std::chrono::steady_clock::now();
  while (!block && !document_.is_lost() && std::chrono::steady_clock::now() - begin < patience) {
    while_waiting();
    memory_->wait_for_room(2ms);
    block = memory_->try_take(size_bytes);
  }
  overhead(OverheadKind::waiting, begin_ns, size_bytes);
  return block;
}

void Recording::read_pieces(StreamState& stream, RecordedStream& record, ContentRole role,
                            std::uint32_t command, std::span<const Piece> pieces) {
  const std::uint64_t begin_ns = monotonic_ns();
  RecordedStream::PendingContents group;
  std::uint64_t in_group = 0, total = 0;
  const auto close_group = [&] {
    if (group.contents.empty()) return;
    group.done = stream.mark_aside();
    record.contents.push_back(std::move(group));
    group = {};
    in_group = 0;
  };
  for (const Piece& piece : pieces)
    for (std::uint64_t at = 0; at < piece.size_bytes; at += piece_bytes) {
      const BufferRange range = range_of(piece, at);
      auto block = take_memory(range.size_bytes, [&] {
        close_group();
        stream.flush_aside();
        collect_contents(record);
      });
      if (!block) {
        missing(*piece.buffer, "no memory was free in time to read them");
        break;
      }
      // The block is in the group before the device is told of it: whatever happens now, the
      // memory stays until the stream is done.
      group.contents.push_back({role, command, static_cast<std::uint32_t>(piece.buffer->id),
                                range.offset_bytes, stores(role), std::move(*block)});
      stream.read_aside(range, group.contents.back().block.bytes());
      total += range.size_bytes;
      if ((in_group += range.size_bytes) >= piece_bytes) close_group();
    }
  close_group();
  collect_contents(record);
  overhead(role == ContentRole::input ? OverheadKind::inputs : OverheadKind::checks, begin_ns,
           total);
}

void Recording::keep_written_bytes(std::uint32_t command, const Write& write) {
  const std::uint64_t begin_ns = monotonic_ns();
  const Piece piece{write.target.buffer, write.target.offset_bytes, write.data.size()};
  for (std::uint64_t at = 0; at < piece.size_bytes; at += piece_bytes) {
    const BufferRange range = range_of(piece, at);
    auto block = take_memory(range.size_bytes, [] {});
    if (!block) {
      missing(*piece.buffer, "no memory was free in time to copy them");
      break;
    }
    std::memcpy(block->bytes().data(), write.data.data() + at, range.size_bytes);
    document_.push(ContentsMessage{ContentRole::written, command,
                                   static_cast<std::uint32_t>(piece.buffer->id), range.offset_bytes,
                                   stores(ContentRole::written), std::move(*block)});
  }
  if (piece.size_bytes >= page_bytes) overhead(OverheadKind::inputs, begin_ns, piece.size_bytes);
}

// --- when nobody uses the buffers any more ------------------------------------------------------

void Recording::read_final(DeviceState& device, std::span<const Piece> pieces) {
  const std::uint64_t begin_ns = monotonic_ns();
  const std::uint32_t command = next_command_.load(std::memory_order_relaxed) - 1;
  std::uint64_t total = 0;
  try {
    const auto queue = device.driver().open_queue("reel");
    for (const Piece& piece : pieces)
      for (std::uint64_t at = 0; at < piece.size_bytes; at += piece_bytes) {
        const BufferRange range = range_of(piece, at);
        auto block = take_memory(range.size_bytes, [] {});
        if (!block) {
          missing(*piece.buffer, "no memory was free in time to read them");
          break;
        }
        queue->submit({Read{range, block->bytes()}});
        queue->flush();
        queue->wait();
        document_.push(ContentsMessage{
            ContentRole::check, command, static_cast<std::uint32_t>(piece.buffer->id),
            range.offset_bytes, stores(ContentRole::check), std::move(*block)});
        total += range.size_bytes;
      }
  } catch (const std::exception& error) {
    note("contents_missing", fmt::format("Results could not be read: {}", error.what()));
  }
  overhead(OverheadKind::checks, begin_ns, total);
}

void Recording::read_freed_buffers() {
  std::vector<Freed> freed;
  {
    const std::lock_guard lock(mutex_);
    freed.swap(freed_);
    freed_bytes_.store(0, std::memory_order_relaxed);
  }
  for (const Freed& one : freed) read_final(*one.buffer->device, one.written);
}

void Recording::stream_ends(StreamState& stream) {
  auto* record = static_cast<RecordedStream*>(stream.recorded.get());
  if (!record || record->capture != number_) return;
  bool all_done = false;
  quietly([&] { all_done = wait_until_done(stream, *record); });
  if (all_done && record->last_command != no_index)
    host_waited({number_, record->last_command, static_cast<std::uint32_t>(stream.id)});
}

// Without Signal::wait, which would take an error that is the program's to see. A stream with
// minutes of work is waited for as long as something of it gets done.
bool Recording::wait_until_done(StreamState& stream, RecordedStream& record) {
  const auto end = stream.mark_aside();
  stream.flush_aside();
  auto last_done = std::chrono::steady_clock::now();
  for (int rounds = 0; !end->done(); ++rounds) {
    if (rounds < 64) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(50us);
    if (rounds % 256 != 0) continue;  // some 20 ms
    const auto now = std::chrono::steady_clock::now();
    if (collect(stream, record)) last_done = now;
    if (now - last_done > patience) return false;
  }
  collect(stream, record);
  return true;
}

// All streams are held while the checks are read: what another thread gives meanwhile must not be
// in them.
void Recording::finish_streams() {
  std::vector<std::shared_ptr<StreamState>> streams;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& weak : streams_)
      if (auto stream = weak.lock()) streams.push_back(std::move(stream));
  }
  std::sort(streams.begin(), streams.end(),
            [](const auto& a, const auto& b) { return a->id < b->id; });
  std::vector<std::unique_lock<std::mutex>> locks;
  locks.reserve(streams.size());
  bool all_done = true;
  for (const auto& stream : streams) locks.push_back(stream->lock());
  for (const auto& stream : streams) {
    auto* record = static_cast<RecordedStream*>(stream->recorded.get());
    if (!record || record->capture != number_) continue;
    if (!wait_until_done(*stream, *record)) {
      all_done = false;
      note("unfinished", fmt::format("Stream s{} '{}' was still at work when the capture ended; "
                                     "times and results of its last commands are missing.",
                                     static_cast<std::uint32_t>(stream->id), stream->label));
    }
  }
  if (contents_ == Contents::none || !all_done) return;
  read_freed_buffers();
  std::map<DeviceState*, std::vector<Piece>> by_device;
  const auto written = buffers_.device_written();
  for (const auto& [piece, held] : written) by_device[held->device.get()].push_back(piece);
  for (const auto& [device, pieces] : by_device) read_final(*device, pieces);
}

CaptureReport Recording::finish() {
  quietly([&] { finish_streams(); });
  const std::uint64_t begin_ns = monotonic_ns();  // waiting for the work was not capture's own
  quietly([&] {
    for (const auto& [pointer, device] : devices_) note_clock(*device);
    overhead(OverheadKind::stopping, begin_ns, 0);
  });
  const std::uint32_t commands = next_command_.load(std::memory_order_relaxed);
  const auto result = document_.finish(
      {{"commands", std::to_string(commands)}, {"ended_ns", std::to_string(monotonic_ns())}});
  return {path_, commands, result.document_bytes, result.contents_bytes, result.lost};
}

}  // namespace reel::capture
