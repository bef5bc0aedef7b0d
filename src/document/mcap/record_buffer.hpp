// record_buffer.hpp - bytes of MCAP records, put together in memory.
//
// Owns its bytes; clear() keeps the memory. One thread at a time.
#pragma once

#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "base/fail.hpp"
#include "document/mcap/mcap.hpp"

namespace reel::mcap {

class RecordBuffer {
 public:
  void u8(std::uint8_t value) { number(value); }
  void u16(std::uint16_t value) { number(value); }
  void u32(std::uint32_t value) { number(value); }
  void u64(std::uint64_t value) { number(value); }
  void bytes(std::span<const std::byte> value) {
    // Not vector::insert, in which g++ 12 sees an overflow that can't be.
    if (!value.empty()) std::memcpy(grow(value.size()).data(), value.data(), value.size());
  }
  void text(std::string_view value) {
    u32(checked_length(value.size()));
    bytes(std::as_bytes(std::span(value)));
  }
  void blob(std::span<const std::byte> value) {
    u32(checked_length(value.size()));
    bytes(value);
  }
  void map(const StringMap& values) {
    array([&] {
      for (const auto& [key, value] : values) text(key), text(value);
    });
  }

  // What `body` puts, behind its length in four bytes.
  template <class Body>
  void array(Body&& body) {
    const std::size_t at = size();
    u32(0);
    std::forward<Body>(body)();
    patch(at, checked_length(size() - at - sizeof(std::uint32_t)));
  }
  // What `body` puts, as one record.
  template <class Body>
  void record(Opcode opcode, Body&& body) {
    u8(static_cast<std::uint8_t>(opcode));
    const std::size_t at = size();
    u64(0);
    std::forward<Body>(body)();
    patch(at, std::uint64_t{size() - at - sizeof(std::uint64_t)});
  }

  // Room for others to write to; resize() gives back what they didn't need.
  std::span<std::byte> grow(std::size_t count) {
    bytes_.resize(size() + count);
    return std::span(bytes_).last(count);
  }
  void resize(std::size_t count) { bytes_.resize(count); }
  template <class Number>
  void patch(std::size_t at, Number value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(value));
  }

  void clear() { bytes_.clear(); }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  std::span<const std::byte> view() const { return bytes_; }

 private:
  template <class Number>
  void number(Number value) {
    const std::size_t at = size();
    bytes_.resize(at + sizeof(value));
    patch(at, value);
  }
  static std::uint32_t checked_length(std::size_t length) {
    if (length > std::numeric_limits<std::uint32_t>::max())
      fail(Code::invalid_argument, "A text or list of {} bytes is too long for MCAP (4 GiB).",
           length);
    return static_cast<std::uint32_t>(length);
  }

  std::vector<std::byte> bytes_;
};

}  // namespace reel::mcap
