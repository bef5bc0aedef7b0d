// recording_contents.cpp - the part of a Recording that reads buffers: inputs before a command
// needs them, checks of what was written, and all that is left at the end.
#include <fmt/format.h>

#include "capture/recorded_stream.hpp"
#include "capture/recording.hpp"
#include "runtime/device_state.hpp"
#include "runtime/stream_state.hpp"

namespace reel::capture {

bool Recording::keep_waiting(QueueLog* queue) {
  if (!queue) return true;
  auto& record = static_cast<RecordedStream&>(*queue);
  close_group(record);
  record.stream.flush_aside();
  collect_contents(record);
  return true;
}

void Recording::close_group(RecordedStream& record) {
  if (record.group.contents.empty()) return;
  record.group.done = record.stream.mark_aside();
  record.contents.push_back(std::exchange(record.group, {}));
}

void Recording::read_pieces(StreamState& stream, RecordedStream& record, ContentRole role,
                            std::uint32_t command, std::span<const Piece> pieces,
                            std::span<const std::uint32_t> finals) {
  RecordingCore::read_pieces(
      record, role, command, pieces, [&](std::size_t piece, Reading reading) {
        if (!finals.empty()) reading.final_check = finals[piece];
        const std::span<std::byte> target = reading.block.bytes();
        const BufferRange range =
            range_of(*pieces[piece].buffer, reading.offset_bytes, target.size());
        // The block is in the group before the device is told of it: whatever happens now, the
        // memory stays until the stream is done.
        record.group.contents.push_back(std::move(reading));
        stream.read_aside(range, target);
        if ((record.group.size_bytes += target.size()) >= piece_bytes) close_group(record);
        return true;
      });
  close_group(record);
  collect_contents(record);
}

void Recording::keep_written_bytes(std::uint32_t command, const Write& write) {
  const std::uint64_t begin_ns = monotonic_ns();
  BoxSource bytes(write.data.data(), line(write.data.size()));
  push_bytes(ContentRole::written, command, write.target, bytes);
  if (write.data.size() >= page_bytes) overhead(OverheadKind::inputs, begin_ns, write.data.size());
}

// --- mapped memory ------------------------------------------------------------------------------

void Recording::take_host_writes(std::uint32_t command, const BufferRange& range,
                                 BufferLedger::Changes& changes) {
  if (contents == Contents::none) return;
  for (const auto& [begin, end] : mapped_.take_host_writes(range)) {
    const BufferRange changed = range_of(*range.buffer, begin, end - begin);
    BoxSource bytes(range.buffer->mapped + begin, line(end - begin));
    push_bytes(ContentRole::input, command, changed, bytes);
    ledger_.overwrite(changed, true);
    changes.push_back(BufferLedger::Change::to_unknown(changed));
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

void Recording::read_final(DeviceState& device, std::span<const Piece> pieces,
                           std::span<const std::uint32_t> finals) {
  const std::uint64_t begin_ns = monotonic_ns();
  const std::uint32_t command = next_command_.load(std::memory_order_relaxed) - 1;
  std::uint64_t total = 0;
  try {
    const auto queue = device.driver().open_queue("reel");
    const auto read = [&](const BufferRange& range, std::span<std::byte> target) {
      queue->submit({Read{range, target}});
      queue->flush();
      queue->wait();
      return std::string();
    };
    for (std::size_t i = 0; i < pieces.size(); ++i)
      total += read_now(pieces[i], command, read, [&] {
        if (finals.empty() || !final_checks_.is_spoiled(finals[i])) return true;
        note_spoiled(pieces[i]);
        return false;
      });
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
