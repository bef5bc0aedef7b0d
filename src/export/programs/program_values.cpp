#include "export/programs/program_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace reel::program {
namespace {

using Bytes = std::span<const std::byte>;

// Little-endian, as documents are.
std::uint64_t bits_of(Bytes bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  return bits;
}

bool is_half(ElementType type) { return type == ElementType::f16 || type == ElementType::bf16; }

// Numbers whose digits give back every bit; not-a-number has many forms, and compilers may flush
// the very small ones.
bool has_digits(ElementType type, Bytes bytes) {
  const double value = element_value(type, bytes);
  if (type == ElementType::f32) return value == 0 || std::isnormal(static_cast<float>(value));
  return value == 0 || std::isnormal(value);
}

std::string with_point(std::string digits) {
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

std::string cpp_type(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return "float";
    case ElementType::f64:
      return "double";
    case ElementType::f16:
    case ElementType::bf16:
      return "std::uint16_t";
    default:
      return fmt::format("std::{}int{}_t", name_of(type)[0] == 'u' ? "u" : "", 8 * size_of(type));
  }
}

std::string numpy_type(ElementType type) {
  if (is_half(type)) return "uint16";
  const char kind = name_of(type)[0];
  return fmt::format("{}{}",
                     kind == 'f'   ? "float"
                     : kind == 'u' ? "uint"
                                   : "int",
                     8 * size_of(type));
}

// The number without its type.
std::string digits_of(ElementType type, Bytes bytes) {
  if (is_half(type)) return fmt::format("0x{:04x}", bits_of(bytes));
  std::string text = element_text(type, bytes);
  return is_real(type) ? with_point(text) : text;
}

std::string cpp_scalar(ElementType type, Bytes bytes) {
  if ((type == ElementType::f32 || type == ElementType::f64) && !has_digits(type, bytes))
    return type == ElementType::f32
               ? fmt::format("std::bit_cast<float>(0x{:08x}u)", bits_of(bytes))
               : fmt::format("std::bit_cast<double>(std::uint64_t{{0x{:016x}u}})", bits_of(bytes));
  std::string digits = digits_of(type, bytes);
  if (type == ElementType::f64) return digits;
  if (type == ElementType::f32) return digits + "F";
  // C++ reads -9223372036854775808 as minus a number that is too large.
  if (type == ElementType::i64 && bits_of(bytes) == std::uint64_t{1} << 63)
    return "std::numeric_limits<std::int64_t>::min()";
  return fmt::format("{}{{{}{}}}", cpp_type(type), digits, type == ElementType::u64 ? "u" : "");
}

std::string python_scalar(ElementType type, Bytes bytes) {
  if ((type == ElementType::f32 || type == ElementType::f64) && !has_digits(type, bytes))
    return fmt::format("numpy.uint{0}(0x{1:0{2}x}).view(numpy.float{0})", 8 * bytes.size(),
                       bits_of(bytes), 2 * bytes.size());
  return fmt::format("numpy.{}({})", numpy_type(type), digits_of(type, bytes));
}

// Elements of a vector, or the one.
std::vector<Bytes> parts_of(ElementType type, Bytes bytes) {
  std::vector<Bytes> parts;
  for (std::size_t at = 0; at < bytes.size(); at += size_of(type))
    parts.push_back(bytes.subspan(at, size_of(type)));
  return parts;
}

// What the bits of the literal hide.
std::string hidden_number(ElementType type, Bytes bytes) {
  const bool is_shown = !is_real(type) || (!is_half(type) && has_digits(type, bytes));
  return is_shown ? "" : fmt::format("{} {}", name_of(type), element_text(type, bytes));
}

bool is_made_of(ElementType type, Bytes bytes) {
  return type != ElementType::hex && !bytes.empty() && bytes.size() % size_of(type) == 0;
}

// Of a value whose type nobody told: as it most likely was written. Its bits are right either way.
std::optional<ElementType> guess(Bytes bytes) {
  const auto is_likely = [&](ElementType real) {
    const double size = std::abs(element_value(real, bytes));
    return size > 1e-9 && size < 1e9;
  };
  switch (bytes.size()) {
    case 1:
      return ElementType::u8;
    case 2:
      return ElementType::u16;
    case 4:
      if (is_likely(ElementType::f32)) return ElementType::f32;
      // Small negative numbers are huge ones of u32.
      return bits_of(bytes) > 0xffff0000 ? ElementType::i32 : ElementType::u32;
    case 8:
      return is_likely(ElementType::f64) ? ElementType::f64 : ElementType::u64;
    default:
      return std::nullopt;
  }
}

std::string joined(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : ", ") + second;
}

// The type to write a value as; none: its bytes.
struct Shown {
  std::optional<ElementType> type;
  std::string comment;
};
Shown shown(std::optional<ElementType> element, Bytes bytes) {
  if (element && is_made_of(*element, bytes)) return {element, {}};
  const auto guessed = guess(bytes);
  return {guessed, guessed ? "type guessed" : ""};
}

constexpr std::size_t bytes_in_line = 10;

}  // namespace

Literal cpp_literal(std::optional<ElementType> element, Bytes bytes) {
  const auto [type, comment] = shown(element, bytes);
  if (!type) {
    std::string list;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      list += fmt::format("{}0x{:02x}",
                          i == 0                   ? ""
                          : i % bytes_in_line == 0 ? ",\n    "
                                                   : ", ",
                          static_cast<unsigned>(bytes[i]));
    return {fmt::format("std::array<unsigned char, {}>{{{}}}", bytes.size(), list), {}};
  }
  const std::vector<Bytes> parts = parts_of(*type, bytes);
  if (parts.size() == 1)
    return {cpp_scalar(*type, bytes), joined(hidden_number(*type, bytes), comment)};
  std::string list;
  for (const Bytes& part : parts) list += (list.empty() ? "" : ", ") + cpp_scalar(*type, part);
  return {fmt::format("std::array<{}, {}>{{{}}}", cpp_type(*type), parts.size(), list),
          is_half(*type) ? name_of(*type) : ""};
}

Literal python_literal(std::optional<ElementType> element, Bytes bytes) {
  const auto [type, comment] = shown(element, bytes);
  if (!type) {
    std::string hex;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      hex += fmt::format("{}{:02x}", i && i % 4 == 0 ? " " : "", static_cast<unsigned>(bytes[i]));
    return {fmt::format("bytes.fromhex(\"{}\")", hex), {}};
  }
  const std::vector<Bytes> parts = parts_of(*type, bytes);
  if (parts.size() == 1)
    return {python_scalar(*type, bytes), joined(hidden_number(*type, bytes), comment)};
  std::string list;
  for (const Bytes& part : parts) list += (list.empty() ? "" : ", ") + python_scalar(*type, part);
  return {fmt::format("numpy.array([{}], numpy.{})", list, numpy_type(*type)),
          is_half(*type) ? name_of(*type) : ""};
}

}  // namespace reel::program
