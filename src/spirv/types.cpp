#include "spirv/types.hpp"

#include <spirv/unified1/spirv.h>

#include <algorithm>

namespace reel::spirv {
namespace {

// Sources nest types a few deep; a module made to be deep gets no answer instead of our stack.
constexpr int deepest_type = 64;
// No memory of a device is larger, and products of sizes stay within 64 bits.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48;

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > most_bytes / a ? 0 : a * b;
}

}  // namespace

std::uint64_t Types::size_bytes(std::uint32_t type, int depth) {
  if (depth > deepest_type) return 0;
  if (const auto known = sizes_.find(type); known != sizes_.end()) return known->second;
  sizes_[type] = 0;  // a type that holds itself is none
  const Instruction& t = module_.definition(type);
  std::uint64_t size = 0;
  switch (t.opcode) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
      size = t.operand(0) / 8;
      break;
    case SpvOpTypeBool:
      size = 4;
      break;
    case SpvOpTypePointer:
      size = 8;  // of a block: a buffer device address
      break;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
      size = product(t.operand(1), size_bytes(t.operand(0), depth + 1));
      break;
    case SpvOpTypeArray: {
      const std::uint64_t count = constants_.value(t.operand(1)).value_or(0);
      const auto stride = module_.decoration(type, SpvDecorationArrayStride);
      const std::uint64_t item = size_bytes(t.operand(0), depth + 1);
      if (count) size = product(count - 1, stride.value_or(item)) + item;
      break;
    }
    case SpvOpTypeStruct:
      for (std::uint32_t i = 0; i < t.operands.size(); ++i) {
        const std::uint64_t offset =
            module_.member_decoration(type, i, SpvDecorationOffset).value_or(0);
        size = std::max(size, offset + member_bytes(type, i, depth + 1));
      }
      break;
    default:
      break;
  }
  size = std::min(size, most_bytes);
  sizes_[type] = size;
  return size;
}

std::uint64_t Types::member_bytes(std::uint32_t structure, std::uint32_t member) {
  return member_bytes(structure, member, 0);
}

std::uint64_t Types::member_bytes(std::uint32_t structure, std::uint32_t member, int depth) {
  const std::uint32_t type = module_.definition(structure).operand(member);
  const auto stride = module_.member_decoration(structure, member, SpvDecorationMatrixStride);
  if (!stride) return size_bytes(type, depth);
  // Arrays of matrices have the stride of their matrices too.
  std::uint32_t matrix = type;
  std::uint64_t before = 0;
  for (int i = 0; i < deepest_type && module_.definition(matrix).opcode == SpvOpTypeArray; ++i) {
    const Instruction& array = module_.definition(matrix);
    const std::uint64_t count = constants_.value(array.operand(1)).value_or(0);
    if (count)
      before +=
          product(count - 1, module_.decoration(matrix, SpvDecorationArrayStride).value_or(0));
    matrix = array.operand(0);
  }
  const Instruction& m = module_.definition(matrix);
  if (m.opcode != SpvOpTypeMatrix) return size_bytes(type, depth);
  const Instruction& column = module_.definition(m.operand(0));
  const std::uint64_t scalar = size_bytes(column.operand(0), depth + 1);
  const bool by_rows =
      module_.member_decoration(structure, member, SpvDecorationRowMajor).has_value();
  const std::uint64_t vectors = by_rows ? column.operand(1) : m.operand(1);
  const std::uint64_t each = by_rows ? m.operand(1) : column.operand(1);
  if (vectors == 0) return 0;
  return std::min(before + product(vectors - 1, *stride) + product(each, scalar), most_bytes);
}

std::optional<ElementType> Types::element(std::uint32_t type, int depth) {
  if (depth > deepest_type) return std::nullopt;
  if (const auto known = elements_.find(type); known != elements_.end()) return known->second;
  elements_[type] = std::nullopt;
  const Instruction& t = module_.definition(type);
  std::optional<ElementType> found;
  const auto of_width = [&](ElementType w8, ElementType w16, ElementType w32, ElementType w64) {
    const std::uint32_t width = t.operand(0);
    if (width == 8) found = w8;
    if (width == 16) found = w16;
    if (width == 32) found = w32;
    if (width == 64) found = w64;
  };
  using enum ElementType;
  switch (t.opcode) {
    case SpvOpTypeInt:
      t.operand(1) ? of_width(i8, i16, i32, i64) : of_width(u8, u16, u32, u64);
      break;
    case SpvOpTypeFloat:
      of_width(hex, f16, f32, f64);
      if (found == hex) found.reset();
      break;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
      found = element(t.operand(0), depth + 1);
      break;
    case SpvOpTypeStruct:
      for (std::size_t i = 0; i < t.operands.size(); ++i) {
        const auto member = element(t.operand(i), depth + 1);
        if (!member || (i > 0 && member != found)) {
          found.reset();
          break;
        }
        found = member;
      }
      break;
    default:
      break;
  }
  elements_[type] = found;
  return found;
}

}  // namespace reel::spirv
