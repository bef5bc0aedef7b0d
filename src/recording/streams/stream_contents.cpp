// stream_contents.cpp - the part of a StreamRecording that reads buffers: inputs before a command
// needs them, checks of what was written, and all that is left at the end.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "recording/streams/stream_recording.hpp"

namespace reel::capture {

bool StreamRecording::keep_waiting(QueueLog* queue) {
  if (!queue) return true;
  auto& stream = static_cast<RecordedStream&>(*queue);
  close_group(stream);
  stream.flush();
  collect_contents(stream);
  return true;
}

void StreamRecording::close_group(RecordedStream& stream) {
  if (stream.group.contents.empty()) return;
  stream.group.done = stream.mark();
  stream.contents.push_back(std::exchange(stream.group, {}));
}

void StreamRecording::collect_contents(RecordedStream& stream) {
  while (!stream.contents.empty() && is_done(*stream.contents.front().done)) {
    for (Reading& reading : stream.contents.front().contents) arrived(reading);
    stream.contents.pop_front();
  }
}

// Large inputs that lie in the host's memory are taken there, by a function that has to hold the
// buffer.
std::shared_ptr<TakenPages> StreamRecording::in_place(RecordedStream& stream, Reading& reading,
                                                      const BufferResource& buffer) {
  const std::size_t size_bytes = reading.block.bytes().size();
  if (!buffer.host_bytes || buffer.image || reading.role != ContentRole::input ||
      size_bytes < TakenPages::least_taken_bytes)
    return nullptr;
  return std::make_shared<TakenPages>(
      std::span(buffer.host_bytes + reading.offset_bytes, size_bytes), std::move(reading.block),
      stores(reading.role), document_.stored_pages(), stream.copied_pages);
}

void StreamRecording::read_pieces(RecordedStream& stream, ContentRole role, std::uint32_t command,
                                  std::span<const Piece> pieces,
                                  std::span<const std::uint32_t> finals) {
  RecordingCore::read_pieces(
      stream, role, command, pieces, [&](std::size_t piece, Reading reading) {
        if (!finals.empty()) {
          reading.final_check = finals[piece];
          reading.moment = CheckMoment::end;
        }
        BufferResource& buffer = *pieces[piece].buffer;
        const std::span<std::byte> target = reading.block.bytes();
        const BufferRange range = range_of(buffer, reading.offset_bytes, target.size());
        auto taken = in_place(stream, reading, buffer);
        reading.taken = taken;
        // The block is in the group before the device is told of it: whatever happens now, the
        // memory stays until the stream is done.
        stream.group.contents.push_back(std::move(reading));
        if (taken)
          stream.run([taken, held = buffer.shared_from_this()]() mutable {
            std::exchange(taken, nullptr)->take();
          });
        else
          stream.read(range, target);
        if ((stream.group.size_bytes += target.size()) >= piece_bytes) close_group(stream);
        return true;
      });
  close_group(stream);
  collect_contents(stream);
}

void StreamRecording::keep_written_bytes(std::uint32_t command, const Write& write) {
  const std::uint64_t begin_ns = monotonic_ns();
  BoxSource bytes(write.data.data(), line(write.data.size()));
  push_bytes(ContentRole::written, command, write.target, bytes);
  if (write.data.size() >= page_bytes) overhead(OverheadKind::inputs, begin_ns, write.data.size());
}

// --- mapped memory ------------------------------------------------------------------------------

void StreamRecording::take_host_writes(std::uint32_t command, const BufferRange& range,
                                       BufferLedger::Changes& changes) {
  if (contents == Contents::none) return;
  for (const auto& [begin, end] : mapped_.take_host_writes(range))
    host_wrote(command, range_of(*range.buffer, begin, end - begin), range.buffer->mapped + begin,
               changes);
}

void StreamRecording::expect_mapped(RecordedStream& stream, std::span<const Piece> pieces) {
  for (const Piece& piece : pieces) {
    if (!piece.buffer->mapped) continue;
    RecordedStream::PendingContents group;
    group.mapped = std::make_shared<std::vector<std::byte>>(piece.size_bytes);
    const BufferRange range = range_of(piece);
    stream.read(range, *group.mapped);
    group.done = stream.mark();
    mapped_.expect(range, group.mapped, [this, done = group.done] { return is_done(*done); });
    stream.contents.push_back(std::move(group));
  }
}

// --- when nobody uses the buffers any more ------------------------------------------------------

void StreamRecording::read_final(DeviceState& device, std::span<const Piece> pieces,
                                 std::span<const std::uint32_t> finals) {
  const std::uint64_t begin_ns = monotonic_ns();
  const std::uint32_t command = next_command_.load(std::memory_order_relaxed) - 1;
  std::uint64_t total = 0;
  try {
    Reader reader;  // opened for the first that needs it
    const auto read = [&](const BufferRange& range, std::span<std::byte> target) {
      if (!reader) reader = open_reader(device);
      reader(range, target);
      return std::string();
    };
    const CheckMoment moment = finals.empty() ? CheckMoment::unknown : CheckMoment::end;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
      const auto is_still_ours = [&] {
        if (finals.empty() || !final_checks_.is_spoiled(finals[i])) return true;
        note_spoiled(piece);
        return false;
      };
      const std::byte* const lies_at = piece.buffer->host_bytes;
      if (lies_at && !stores(ContentRole::check))
        total += hash_now(piece, command, moment, lies_at + piece.offset_bytes, is_still_ours);
      else
        total += read_now(piece, command, moment, read, is_still_ours);
    }
  } catch (const std::exception& error) {
    note("contents_missing", fmt::format("Results could not be read: {}", error.what()));
  }
  overhead(OverheadKind::checks, begin_ns, total);
}

void StreamRecording::read_freed_buffers() {
  std::vector<Freed> freed;
  {
    const std::lock_guard lock(mutex_);
    freed.swap(freed_);
    freed_bytes_.store(0, std::memory_order_relaxed);
  }
  for (const Freed& one : freed) read_final(*one.buffer->device, one.written);
}

// Those that no stream reads in its own order.
void StreamRecording::read_final_checks() {
  read_freed_buffers();
  std::map<DeviceState*, std::vector<std::uint32_t>> by_device;
  for (const std::uint32_t check : final_checks_.take({}, [](const auto&) { return true; }))
    by_device[final_checks_.piece(check).buffer->device.get()].push_back(check);
  for (const auto& [device, checks] : by_device)
    read_final(*device, final_checks_.pieces(checks), checks);
}

}  // namespace reel::capture
