// work.hpp - what one call asks of the device, in the words of documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "layers/opencl/objects.hpp"
#include "recording/byte_source.hpp"
#include "reel/trace.hpp"

namespace reel::layer {

using capture::Box;
using capture::BoxSource;
using capture::ByteSource;
using capture::line;
using capture::PatternSource;

struct Range {
  Storage* storage = nullptr;
  std::uint64_t offset_bytes = 0, size_bytes = 0;

  BufferRange of_buffer() const noexcept {
    BufferRange range;
    range.buffer = storage;
    range.offset_bytes = offset_bytes;
    range.size_bytes = size_bytes;
    return range;
  }
};

struct WorkArgument {
  ArgumentKind kind = ArgumentKind::buffer;
  Access access = Access::read_write;
  Range range;                   // of a buffer
  std::uint64_t size_bytes = 0;  // of a value or local memory
  Storage* view = nullptr;       // the image on the range that is bound
};

// Reused from call to call; clear() keeps memory.
struct Work {
  TraceWork row;           // without numbers of what it names
  std::string_view label;  // the function; lives as long as the process
  Kernel* kernel = nullptr;
  std::vector<WorkArgument> arguments;
  std::vector<std::byte> values;
  bool waits_for_all = false;           // on a queue without order: all before it is done first
  bool holds_back_later = false;        // … and what comes later starts after it
  std::uint64_t kernel_version = 0;     // of the arguments that these are
  std::uint32_t svm_version = 0;        // of where pointers lead
  const char* why_not_again = nullptr;  // set: can't be replayed, and why

  void clear();
  void read(const Range& range) { add(range, Access::read); }
  void write(const Range& range) { add(range, Access::write); }
  void add(const Range& range, Access access, Storage* view = nullptr);
  void add_value(ArgumentKind argument_kind, std::span<const std::byte> bytes);
};

// A box of a buffer as the …Rect functions give it; pitches of 0 mean tight.
Box buffer_box(const std::size_t* origin, const std::size_t* region, std::size_t row_pitch,
               std::size_t slice_pitch, std::uint64_t base_bytes) noexcept;
// A region of an image in its tight bytes.
Box image_box(const ImageShape& shape, const std::size_t* origin,
              const std::size_t* region) noexcept;
// The same rows in host memory, tight or with the pitches given.
Box host_box(const ImageShape& shape, const std::size_t* region, std::size_t row_pitch,
             std::size_t slice_pitch) noexcept;

}  // namespace reel::layer
