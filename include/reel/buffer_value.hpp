// buffer_value.hpp - what a buffer held at one point of a trace, as far as the document tells.
//
//   const reel::BufferValue value(trace, buffer, 12);   // after c12
//   if (value.unknown_bytes() == 0) … value.read(0, value.size_bytes()).bytes …
//
// Starts from what was there before the capture (or from zeros, where it was allocated within),
// and goes through the commands in the order of their ids: writes, fills, copies and recorded
// contents make bytes known, a kernel that may write them makes them unknown until a check tells
// them. Nothing is invented. Any thread; shares the trace's file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "reel/trace.hpp"

namespace reel {

struct ByteSpan {                    // bytes from one to before another
  std::uint64_t begin = 0, end = 0;  // half open
  friend bool operator==(const ByteSpan&, const ByteSpan&) = default;
};

class BufferValue {
 public:
  // `buffer`: index in trace.buffers(). After this command; no_index: before the first. Throws
  // invalid_argument where the trace has no such buffer or command.
  BufferValue(const Trace& trace, std::uint32_t buffer, std::uint32_t command);

  std::uint64_t size_bytes() const noexcept { return size_bytes_; }  // of the buffer
  std::vector<ByteSpan> unknown() const;                             // bytes that nobody recorded
  std::uint64_t unknown_bytes() const;                               // how many

  struct Bytes {                    // some of its bytes
    std::vector<std::byte> bytes;   // 0 where not known
    std::vector<ByteSpan> unknown;  // offsets in the buffer; damaged pages among them
  };
  // Reads only the pages it needs. The range is cut to the buffer.
  Bytes read(std::uint64_t offset_bytes, std::uint64_t size_bytes) const;

  // Where the bytes of a range come from.
  struct Source {
    // Where the bytes come from.
    enum class Kind : std::uint8_t { unknown, pattern, contents } kind = Kind::unknown;
    std::uint32_t value = 0;  // the pattern, or an index in trace.contents()
    std::uint32_t pattern_bytes = 1;
    std::uint64_t origin = 0;  // offset in the buffer of its first byte, modulo 2^64
  };

 private:
  Trace trace_;
  std::uint64_t size_bytes_;
  struct Piece {
    std::uint64_t end;
    Source source;
  };
  std::map<std::uint64_t, Piece> pieces_;  // by begin, without gaps
};

}  // namespace reel
