// protobuf.hpp - messages in the wire format of Protocol Buffers, as far as exports need it.
//
//   Message event;
//   event.number(1, id);
//   packet.message(53, event);
//
// Fields are written in the order of the calls. Numbers are varints; texts are made valid UTF-8,
// since readers refuse others.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "graph/commands/text.hpp"

namespace reel::protobuf {

class Message {
 public:
  const std::string& bytes() const noexcept { return bytes_; }
  bool empty() const noexcept { return bytes_.empty(); }
  void clear() noexcept { bytes_.clear(); }

  void number(std::uint32_t field, std::uint64_t value) {
    tag(field, 0);
    varint(value);
  }
  void flag(std::uint32_t field, bool value) { number(field, value ? 1 : 0); }
  void real(std::uint32_t field, double value) {
    tag(field, 1);
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(bits >> (8 * i));
  }
  void text(std::uint32_t field, std::string_view value) { raw(field, valid_utf8(value)); }
  void message(std::uint32_t field, const Message& value) { raw(field, value.bytes_); }

  // A repeated field of numbers, in one piece.
  void packed(std::uint32_t field, const std::vector<std::uint64_t>& values) {
    if (values.empty()) return;
    Message list;
    for (const std::uint64_t value : values) list.varint(value);
    message(field, list);
  }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void tag(std::uint32_t field, unsigned wire_type) {
    varint(std::uint64_t{field} << 3 | wire_type);
  }
  void raw(std::uint32_t field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
  }

  std::string bytes_;
};

}  // namespace reel::protobuf
