#include "opencl/types.hpp"

#include <array>
#include <charconv>

namespace reel {
namespace {

struct ScalarType {
  std::string_view name;
  ElementType element;
};
// "unsigned" stands in either spelling: PoCL says uint, others may say unsigned int.
constexpr std::array scalar_types{
    ScalarType{"char", ElementType::i8},          ScalarType{"uchar", ElementType::u8},
    ScalarType{"unsigned char", ElementType::u8}, ScalarType{"short", ElementType::i16},
    ScalarType{"ushort", ElementType::u16},       ScalarType{"unsigned short", ElementType::u16},
    ScalarType{"half", ElementType::f16},         ScalarType{"int", ElementType::i32},
    ScalarType{"uint", ElementType::u32},         ScalarType{"unsigned int", ElementType::u32},
    ScalarType{"float", ElementType::f32},        ScalarType{"long", ElementType::i64},
    ScalarType{"ulong", ElementType::u64},        ScalarType{"unsigned long", ElementType::u64},
    ScalarType{"double", ElementType::f64},
};

struct BuiltIn {
  ElementType element;
  std::uint32_t width;  // of a vector, in elements as it lies in memory; else 1
};

std::optional<BuiltIn> parse_builtin(std::string_view type) noexcept {
  const auto digits = type.find_first_of("0123456789");
  const std::string_view scalar = type.substr(0, digits);
  std::uint32_t width = 1;
  if (digits != std::string_view::npos) {
    const std::string_view number = type.substr(digits);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), width);
    if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
    if (width == 3) width = 4;  // a vector of three takes the room of four
    if (width != 2 && width != 4 && width != 8 && width != 16) return std::nullopt;
  }
  for (const ScalarType& known : scalar_types)
    if (known.name == scalar) return BuiltIn{known.element, width};
  return std::nullopt;
}

}  // namespace

std::uint32_t builtin_type_bytes(std::string_view type) noexcept {
  const auto built_in = parse_builtin(type);
  return built_in ? static_cast<std::uint32_t>(size_of(built_in->element)) * built_in->width : 0;
}

std::optional<ElementType> builtin_element(std::string_view type) noexcept {
  const auto built_in = parse_builtin(type);
  return built_in ? std::optional(built_in->element) : std::nullopt;
}

std::optional<ElementType> pointed_element(std::string_view type) noexcept {
  if (!type.ends_with('*')) return std::nullopt;
  type.remove_suffix(1);
  while (type.ends_with(' ')) type.remove_suffix(1);
  return builtin_element(type);
}

}  // namespace reel
