#include "reel/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace reel {
namespace {

template <class T>
T load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

float from_half(std::uint16_t half) {
  const bool negative = (half >> 15) != 0;
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 1023;
  float size = 0;
  if (exponent == 31)
    size =
        fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  else if (exponent == 0)
    size = std::ldexp(static_cast<float>(fraction), -24);
  else
    size = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return negative ? -size : size;
}

float from_bfloat(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

// Calls visit with the element as a number of its own type.
template <class Visit>
auto with_value(ElementType type, std::span<const std::byte> bytes, Visit&& visit) {
  switch (type) {
    case ElementType::f32:
      return visit(load<float>(bytes));
    case ElementType::f16:
      return visit(from_half(load<std::uint16_t>(bytes)));
    case ElementType::bf16:
      return visit(from_bfloat(load<std::uint16_t>(bytes)));
    case ElementType::f64:
      return visit(load<double>(bytes));
    case ElementType::i8:
      return visit(int{load<std::int8_t>(bytes)});
    case ElementType::u8:
    case ElementType::hex:
      return visit(unsigned{load<std::uint8_t>(bytes)});
    case ElementType::i16:
      return visit(int{load<std::int16_t>(bytes)});
    case ElementType::u16:
      return visit(unsigned{load<std::uint16_t>(bytes)});
    case ElementType::i32:
      return visit(load<std::int32_t>(bytes));
    case ElementType::u32:
      return visit(load<std::uint32_t>(bytes));
    case ElementType::i64:
      return visit(load<std::int64_t>(bytes));
    case ElementType::u64:
      break;
  }
  return visit(load<std::uint64_t>(bytes));
}

}  // namespace

const std::vector<std::string>& element_type_names() {
  static const std::vector<std::string> names{"f32", "f16", "bf16", "f64", "i8",  "u8", "i16",
                                              "u16", "i32", "u32",  "i64", "u64", "hex"};
  return names;
}

std::optional<ElementType> parse_element_type(std::string_view name) {
  const auto& names = element_type_names();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<ElementType>(found - names.begin());
}

const std::string& name_of(ElementType type) {
  return element_type_names()[static_cast<std::size_t>(type)];
}

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::f64:
    case ElementType::i64:
    case ElementType::u64:
      return 8;
    case ElementType::f32:
    case ElementType::i32:
    case ElementType::u32:
      return 4;
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::i16:
    case ElementType::u16:
      return 2;
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::hex:
      break;
  }
  return 1;
}

bool is_real(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f16 || type == ElementType::bf16 ||
         type == ElementType::f64;
}

std::string element_text(ElementType type, std::span<const std::byte> bytes) {
  if (type == ElementType::hex) return fmt::format("{:02x}", static_cast<unsigned>(bytes[0]));
  return with_value(type, bytes, [](auto value) { return fmt::format("{}", value); });
}

double element_value(ElementType type, std::span<const std::byte> bytes) {
  return with_value(type, bytes, [](auto value) { return static_cast<double>(value); });
}

void Statistics::add(double value) {
  ++count;
  if (std::isnan(value)) {
    ++nans;
    return;
  }
  if (std::isinf(value)) {
    ++infinities;
    return;
  }
  if (value == 0) ++zeros;
  const bool first = finite() == 1;
  min = first ? value : std::min(min, value);
  max = first ? value : std::max(max, value);
  sum += value;
}

}  // namespace reel
