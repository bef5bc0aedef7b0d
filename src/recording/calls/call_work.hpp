// call_work.hpp - what one call asks of the device, in the words of documents.
//
// In: what the hooks of an API read from the arguments of a call. Out: what CallRecording looks at
// and puts into the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "recording/calls/tracked.hpp"
#include "recording/contents/buffer_ledger.hpp"
#include "reel/trace.hpp"

namespace reel::capture {

struct Range {
  TrackedBuffer* storage = nullptr;
  std::uint64_t offset_bytes = 0, size_bytes = 0;

  BufferRange of_buffer() const { return range_of(*storage, offset_bytes, size_bytes); }
};

struct WorkArgument {
  ArgumentKind kind = ArgumentKind::buffer;
  Access access = Access::read_write;
  Range range;                    // of a buffer
  std::uint64_t size_bytes = 0;   // of a value or local memory
  TrackedBuffer* view = nullptr;  // the image on the range that is bound

  bool is_buffer() const noexcept { return kind == ArgumentKind::buffer; }
  bool has_range() const noexcept { return is_buffer() || is_read_beside(kind); }
  // Of a buffer whose bytes can be read.
  bool is_bytes() const noexcept { return is_buffer() && !range.storage->is_strange; }
  bool is_written() const noexcept { return is_buffer() && writes(access); }
};

// Commands of this kind write all of the ranges that they are given to write.
inline bool overwrites(WorkKind kind) noexcept {
  return kind == WorkKind::copy || kind == WorkKind::fill || kind == WorkKind::write;
}

std::vector<Piece> pieces_of(std::span<const WorkArgument> arguments);

// Reused from call to call; clear() keeps memory.
struct CallWork {
  CallWork() = default;
  // Its lists are in `memory`, which outlives it.
  explicit CallWork(std::pmr::memory_resource* memory) : arguments(memory), values(memory) {}

  TraceWork row;           // without numbers of what it names
  std::string_view label;  // the function; lives as long as the process
  TrackedKernel* kernel = nullptr;
  std::pmr::vector<WorkArgument> arguments;
  std::pmr::vector<std::byte> values;
  bool waits_for_all = false;           // on a queue without order: all before it is done first
  bool holds_back_later = false;        // … and what comes later starts after it
  std::uint64_t kernel_version = 0;     // of the arguments that these are
  std::uint64_t kernel_shape = 0;       // the same but for values, which are of the same sizes
  std::uint32_t svm_version = 0;        // of where pointers lead
  const char* why_not_again = nullptr;  // set: can't be replayed, and why
  mutable bool is_appended = false;  // to a log, and changed since in its grid and values at most
  mutable bool has_other_values = false;  // than it was appended with
  BufferLedger::Changes changes;          // by its being looked at, while it is on its way

  void clear();
  void read(const Range& range) { add(range, Access::read); }
  void write(const Range& range) { add(range, Access::write); }
  void add(const Range& range, Access access, TrackedBuffer* view = nullptr) {
    if (!range.storage || range.size_bytes == 0) return;
    arguments.push_back({ArgumentKind::buffer, access, range, 0, view});
  }
  void add_value(ArgumentKind argument_kind, std::span<const std::byte> bytes) {
    add_value(argument_kind, bytes, bytes.size());
  }
  // The first `size_bytes` of them, with zeros behind them where they are fewer.
  void add_value(ArgumentKind argument_kind, std::span<const std::byte> bytes,
                 std::size_t size_bytes);
};

// One command of those that a program records once and gives again and again. In documents each
// time is a launch of a graph, whose nodes are commands of their own.
struct BufferedWork {
  CallWork work;                                  // the arguments of its kernel as they were
  std::vector<std::shared_ptr<const void>> kept;  // what the work points to
  std::vector<std::uint32_t> after;               // others of the same buffer
  std::vector<std::byte> pattern;                 // of a fill that is written as bytes
};

// What each of them left, where no later one wrote.
std::vector<std::vector<Piece>> results_of(std::span<const BufferedWork> nodes);

}  // namespace reel::capture
