// call_contents.cpp - the part of a CallRecording that takes bytes from the host's side: what the
// host gives and finds, and what it wrote without a call.
#include <sys/uio.h>
#include <unistd.h>

#include "recording/calls/call_recording.hpp"

namespace reel::capture {

bool copy_if_there(const std::byte* from, std::span<std::byte> to) {
  iovec here{to.data(), to.size()}, there{const_cast<std::byte*>(from), to.size()};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(to.size());
}

void CallRecording::push_ranges(ContentRole role, std::uint32_t command,
                                std::span<const WorkArgument> ranges, ByteSource& bytes,
                                CheckMoment moment) {
  const std::uint64_t begin_ns = monotonic_ns();
  std::uint64_t total = 0;
  for (const WorkArgument& argument : ranges) {
    if (!argument.is_bytes()) continue;
    total += argument.range.size_bytes;
    if (!push_bytes(role, command, argument.range.of_buffer(), bytes, moment)) break;
  }
  if (total >= page_bytes)
    overhead(role == ContentRole::check ? OverheadKind::checks : OverheadKind::inputs, begin_ns,
             total);
}

void CallRecording::found(std::uint32_t command, std::span<const WorkArgument> ranges,
                          ByteSource& bytes) noexcept {
  if (contents == Contents::none) return;
  quietly([&] { push_ranges(ContentRole::check, command, ranges, bytes); });
}

bool CallRecording::is_device_written(std::span<const WorkArgument> ranges) noexcept {
  bool written = false;
  quietly([&] {
    for (const WorkArgument& argument : ranges)
      written = written ||
                (argument.is_buffer() && ledger_.is_device_written(argument.range.of_buffer()));
  });
  return written;
}

void CallRecording::host_has(std::span<const Range> ranges, bool discarding) noexcept {
  quietly([&] {
    for (const Range& range : ranges)
      if (discarding)
        ledger_.forget(range.of_buffer());
      else
        ledger_.settle(range.of_buffer());
  });
}

void CallRecording::forget(std::span<const Range> ranges) noexcept {
  quietly([&] {
    for (const Range& range : ranges) {
      range.storage->changes.fetch_add(1, std::memory_order_relaxed);
      ledger_.forget(range.of_buffer());
    }
  });
}

// --- memory that host and device share ----------------------------------------------------------

// Bytes that changed while no command that may write them was under way.
void CallRecording::take_host_writes(std::uint32_t command, TrackedBuffer& buffer,
                                     BufferLedger::Changes& changed) {
  if (!is_seen_by_host(buffer)) [[likely]]
    return;
  const HostWindow window = window_of(buffer);
  if (window.size_bytes == 0) return;
  // What changed may be a device's, by a command that isn't recorded: what is there when the
  // command runs is read in its queue's order.
  if (buffer.written_unseen_in.load(std::memory_order_acquire) == number) {
    ledger_.forget(range_of(buffer, window.offset_bytes, window.size_bytes));
    return;
  }
  // Where the host has not seen it done, what changed may be the device's.
  if (shared_writes_.are_under_way(buffer)) return;
  const bool is_copied = window.before && window.read.is_done();
  if (!buffer.address && !window.is_discarding && !is_copied && !window.hashes) {
    // Mapped before the capture, or nobody could copy it: only the device can tell what is there.
    ledger_.forget(range_of(buffer, window.offset_bytes, window.size_bytes));
    return;
  }
  if (is_copied && !host_pages_.knows(&buffer))
    host_pages_.changed(&buffer, window.before->bytes().data(), window.size_bytes);
  if (window.hashes) host_pages_.begin(&buffer, *window.hashes);
  // Of a map that threw away what was there, all is the host's.
  const bool is_all = window.is_discarding && !host_pages_.knows(&buffer);
  auto changes = host_pages_.changed(&buffer, window.address, window.size_bytes);
  if (is_all) changes = {{0, window.size_bytes}};
  for (const auto& [at, size] : changes)
    host_wrote(command, range_of(buffer, window.offset_bytes + at, size), window.address + at,
               changed);
}

std::shared_ptr<const PageHashes> CallRecording::hashes_of_mapped(TrackedBuffer& buffer,
                                                                  const Range& range,
                                                                  const void* pointer) noexcept {
  std::shared_ptr<const PageHashes> hashes;
  quietly([&] {
    const std::uint64_t begin_ns = monotonic_ns();
    if (!buffer.is_mapped.load(std::memory_order_acquire)) {
      const std::lock_guard lock(buffer.window_mutex);
      const LastMap& last = buffer.last_map;
      if (last.capture == number && last.changes == buffer.changes.load() &&
          last.offset_bytes == range.offset_bytes && last.size_bytes == range.size_bytes)
        hashes = last.hashes;
    }
    if (hashes) return;
    hashes = std::make_shared<PageHashes>(
        HostPages::of({static_cast<const std::byte*>(pointer), range.size_bytes}));
    overhead(OverheadKind::inputs, begin_ns, range.size_bytes);
  });
  return hashes;
}

void CallRecording::unmapped(const TrackedBuffer& buffer, std::span<const Range> ranges) noexcept {
  quietly([&] {
    if (!buffer.address) {
      host_pages_.forget(&buffer);
      return;
    }
    for (const Range& range : ranges)
      host_pages_.refresh(&buffer, buffer.address, buffer.size_bytes, range.offset_bytes,
                          range.size_bytes);
  });
}

// It is the program's to change, and to take back: only what is still as the host found it when the
// device was done is a result.
std::uint64_t CallRecording::check_shared(const Piece& piece, std::uint32_t command,
                                          CheckMoment moment) {
  auto& buffer = static_cast<TrackedBuffer&>(*piece.buffer);
  constexpr std::uint64_t page = HostPages::page_bytes;
  const std::uint64_t first = piece.offset_bytes / page * page;
  const std::uint64_t last = piece.offset_bytes + piece.size_bytes;
  const std::uint64_t end = std::min(buffer.size_bytes, (last + page - 1) / page * page);
  std::uint64_t total = 0;
  std::vector<std::byte> bytes;
  for (std::uint64_t at = first; at < end; at += piece_bytes) {
    bytes.resize(std::min(piece_bytes, end - at));
    if (!copy_if_there(buffer.address + at, bytes)) {
      missing(buffer, "its memory was the program's, and is gone");
      break;
    }
    for (const auto& [offset, size] : host_pages_.same(&buffer, at, bytes)) {
      const std::uint64_t begin = std::max(at + offset, piece.offset_bytes);
      const std::uint64_t stop = std::min(at + offset + size, last);
      if (begin >= stop) continue;
      const WorkArgument range{ArgumentKind::buffer, Access::write, {&buffer, begin, stop - begin}};
      BoxSource source(bytes.data() + (begin - at), line(stop - begin));
      push_ranges(ContentRole::check, command, {&range, 1}, source, moment);
      total += stop - begin;
    }
  }
  return total;
}

}  // namespace reel::capture
