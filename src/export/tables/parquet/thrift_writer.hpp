// thrift_writer.hpp - the compact protocol of Thrift, as far as the metadata of Parquet needs it.
//
//   ThriftWriter out;
//   out.begin();  out.i32(1, 2);  out.text(4, "id");  out.end();      a struct with fields 1 and 4
//
// Fields of a struct are given by rising numbers. In lists structs begin and end without a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reel::parquet {

inline void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7f));
  out += static_cast<char>(value);
}
inline std::uint64_t zigzag(std::int64_t value) noexcept {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

class ThriftWriter {
 public:
  enum Type : std::uint8_t {
    yes = 1,
    no = 2,
    byte = 3,
    short_number = 4,
    number = 5,
    long_number = 6,
    binary = 8,
    list_of = 9,
    structure = 12
  };

  void begin() { last_.push_back(0); }  // of what is written, or an element of a list
  void begin(int field) {
    head(field, structure);
    begin();
  }
  void end() {
    out_ += '\0';
    last_.pop_back();
  }
  void flag(int field, bool value) { head(field, value ? yes : no); }
  void i8(int field, std::int8_t value) {
    head(field, byte);
    out_ += static_cast<char>(value);
  }
  void i16(int field, std::int16_t value) { integer(field, short_number, value); }
  void i32(int field, std::int32_t value) { integer(field, number, value); }
  void i64(int field, std::uint64_t value) {
    integer(field, long_number, static_cast<std::int64_t>(value));
  }
  void text(int field, std::string_view value) {
    head(field, binary);
    element(value);
  }
  // So many elements follow, each by element() or begin() … end().
  void list(int field, Type type, std::size_t size) {
    head(field, list_of);
    if (size < 15) {
      out_ += static_cast<char>(size << 4 | type);
    } else {
      out_ += static_cast<char>(0xf0 | type);
      append_varint(out_, size);
    }
  }
  void element(std::int32_t value) { append_varint(out_, zigzag(value)); }
  void element(std::string_view value) {
    append_varint(out_, value.size());
    out_ += value;
  }

  const std::string& bytes() const noexcept { return out_; }

 private:
  void head(int field, Type type) {
    const int step = field - last_.back();
    if (step > 0 && step < 16) {
      out_ += static_cast<char>(step << 4 | type);
    } else {
      out_ += static_cast<char>(type);
      append_varint(out_, zigzag(field));
    }
    last_.back() = field;
  }
  void integer(int field, Type type, std::int64_t value) {
    head(field, type);
    append_varint(out_, zigzag(value));
  }

  std::string out_;
  std::vector<int> last_;  // fields, of the structs that are open
};

}  // namespace reel::parquet
