// elements.hpp - bytes of a buffer as numbers of a type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reel {

enum class ElementType : std::uint8_t {  // numbers that buffers hold
  f32,
  f16,
  bf16,
  f64,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  hex
};

// As it is typed after --as; in the order of the enumerators.
const std::vector<std::string>& element_type_names();
std::optional<ElementType> parse_element_type(std::string_view name);  // "f32"
const std::string& name_of(ElementType type);                          // "f32"
std::size_t size_of(ElementType type);                                 // bytes of one
bool is_real(ElementType type);                                        // f16 to f64

// `bytes`: exactly one element.
std::string element_text(ElementType type, std::span<const std::byte> bytes);
double element_value(ElementType type, std::span<const std::byte> bytes);  // the first one

struct Statistics {  // of many numbers
  std::uint64_t count = 0, nans = 0, infinities = 0, zeros = 0;
  double min = 0, max = 0, sum = 0;  // of the finite ones

  std::uint64_t finite() const { return count - nans - infinities; }  // neither NaN nor Inf
  // Of the finite ones.
  double mean() const { return finite() ? sum / static_cast<double>(finite()) : 0; }
  void add(double value);  // one more
};

}  // namespace reel
