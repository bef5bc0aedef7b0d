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

// How long a capture waits for memory, or for a device that gets nothing done, before it does
// without. A program may have blocked the device until it gets on itself.
constexpr auto patience = 5s;

BufferRange range_of(const Piece& whole, std::uint64_t at) {
  return range_of(
      Piece{whole.buffer, whole.offset_bytes + at, std::min(piece_bytes, whole.size_bytes - at)});
}

}  // namespace

template <class WhileWaiting>
std::optional<Block> Recording::take_memory(std::uint64_t size_bytes,
                                            WhileWaiting&& while_waiting) {
  return RecordingCore::take_memory(size_bytes, patience, [&] {
    while_waiting();
    return true;
  });
}

void Recording::read_pieces(StreamState& stream, RecordedStream& record, ContentRole role,
                            std::uint32_t command, std::span<const Piece> pieces,
                            std::span<const std::uint32_t> finals) {
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
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
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
      if (!finals.empty()) group.finals.push_back(finals[i]);
      stream.read_aside(range, group.contents.back().block.bytes());
      total += range.size_bytes;
      if ((in_group += range.size_bytes) >= piece_bytes) close_group();
    }
  }
  close_group();
  collect_contents(record);
  overhead(role == ContentRole::input ? OverheadKind::inputs : OverheadKind::checks, begin_ns,
           total);
}

void Recording::keep_written_bytes(std::uint32_t command, const Write& write) {
  const std::uint64_t begin_ns = monotonic_ns();
  BoxSource bytes(write.data.data(), line(write.data.size()));
  push_bytes(ContentRole::written, command, write.target, bytes,
             [&](std::uint64_t size) { return take_memory(size, [] {}); });
  if (write.data.size() >= page_bytes) overhead(OverheadKind::inputs, begin_ns, write.data.size());
}

// --- mapped memory ------------------------------------------------------------------------------

void Recording::take_host_writes(std::uint32_t command, const BufferRange& range) {
  if (contents == Contents::none) return;
  for (const auto& [begin, end] : mapped_.take_host_writes(range)) {
    const BufferRange changed = range_of({range.buffer, begin, end - begin});
    BoxSource bytes(range.buffer->mapped + begin, line(end - begin));
    push_bytes(ContentRole::input, command, changed, bytes,
               [&](std::uint64_t size) { return take_memory(size, [] {}); });
    ledger_.overwrite(changed, true);
  }
}

void Recording::expect_mapped(StreamState& stream, RecordedStream& record,
                              std::span<const Piece> pieces) {
  for (const Piece& piece : pieces) {
    if (!piece.buffer->mapped) continue;
    RecordedStream::PendingContents group;
    group.mapped = std::make_shared<std::vector<std::byte>>(piece.size_bytes);
    const BufferRange range = range_of(piece);
    stream.read_aside(range, *group.mapped);
    group.done = stream.mark_aside();
    mapped_.expect(range, group.mapped, [done = group.done] { return done->done(); });
    record.contents.push_back(std::move(group));
  }
}

// --- when nobody uses the buffers any more ------------------------------------------------------

void Recording::spoiled(const Piece& piece) {
  missing(*piece.buffer, "work that is not in the capture wrote them before they could be read");
}

void Recording::read_final(DeviceState& device, std::span<const Piece> pieces,
                           std::span<const std::uint32_t> finals) {
  const std::uint64_t begin_ns = monotonic_ns();
  const std::uint32_t command = next_command_.load(std::memory_order_relaxed) - 1;
  std::uint64_t total = 0;
  try {
    const auto queue = device.driver().open_queue("reel");
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
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
        if (!finals.empty() && final_checks_.is_spoiled(finals[i])) {
          spoiled(piece);
          break;
        }
        document_.push(ContentsMessage{
            ContentRole::check, command, static_cast<std::uint32_t>(piece.buffer->id),
            range.offset_bytes, stores(ContentRole::check), std::move(*block)});
        total += range.size_bytes;
      }
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

// Those that no stream reads in its own order.
void Recording::read_final_checks() {
  read_freed_buffers();
  std::map<DeviceState*, std::vector<std::uint32_t>> by_device;
  for (const std::uint32_t check : final_checks_.take({}, [](const auto&) { return true; }))
    by_device[final_checks_.piece(check).buffer->device.get()].push_back(check);
  for (const auto& [device, checks] : by_device)
    read_final(*device, final_checks_.pieces(checks), checks);
}

}  // namespace reel::capture
