// byte_cursor.hpp - reads numbers and texts out of bytes that nobody vouches for.
//
// A read past the end gives zeros and empty texts, and ok() is false from then on: read all the
// fields, then ask once. Borrows the bytes; never allocates for a length it has not checked.
#pragma once

#include <cstring>
#include <string_view>

#include "document/mcap/mcap.hpp"

namespace reel::mcap {

class ByteCursor {
 public:
  explicit ByteCursor(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::span<const std::byte> bytes(std::uint64_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  std::span<const std::byte> blob() { return bytes(u32()); }
  std::string_view text() {
    const auto taken = blob();
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  StringMap map() {
    ByteCursor pairs(blob());
    StringMap values;
    while (!pairs.rest().empty()) {
      const auto key = pairs.text();
      const auto value = pairs.text();
      if (pairs.ok()) values.insert_or_assign(std::string(key), std::string(value));
    }
    ok_ = ok_ && pairs.ok();
    return values;
  }

  bool ok() const { return ok_; }
  std::span<const std::byte> rest() const { return rest_; }

 private:
  template <class Number>
  Number number() {
    Number value = 0;
    const auto taken = bytes(sizeof(value));
    if (!taken.empty()) std::memcpy(&value, taken.data(), sizeof(value));
    return value;
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace reel::mcap
