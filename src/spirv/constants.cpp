#include "spirv/constants.hpp"

#include <spirv/unified1/spirv.h>

namespace reel::spirv {
namespace {

// Sizes are products and sums of a few constants; what is deeper was made to be deep.
constexpr int deepest_constant = 32;

// Of a type of whole numbers; 0: it is another.
std::uint32_t width_of(const Module& module, std::uint32_t type) {
  const Instruction& definition = module.definition(type);
  if (definition.opcode == SpvOpTypeInt) return definition.operand(0);
  return definition.opcode == SpvOpTypeBool ? 32 : 0;
}

std::uint64_t cut(std::uint64_t value, std::uint32_t bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

std::int64_t as_signed(std::uint64_t value, std::uint32_t bits) {
  if (bits == 0 || bits >= 64) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((cut(value, bits) ^ sign) - sign);
}

}  // namespace

std::optional<std::uint32_t> Constants::constant_id(std::uint32_t id) const {
  switch (module_.definition(id).opcode) {
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
      return module_.decoration(id, SpvDecorationSpecId);
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> Constants::value(std::uint32_t id, int depth) const {
  const Instruction& definition = module_.definition(id);
  if (const auto number = constant_id(id))
    for (const SpecConstant& constant : given_)
      if (constant.id == *number) {
        if (definition.opcode != SpvOpSpecConstant) return constant.value != 0;
        return cut(constant.value, width_of(module_, definition.type));
      }
  switch (definition.opcode) {
    case SpvOpConstantTrue:
    case SpvOpSpecConstantTrue:
      return 1;
    case SpvOpConstantFalse:
    case SpvOpSpecConstantFalse:
    case SpvOpConstantNull:
      return 0;
    case SpvOpConstant:
    case SpvOpSpecConstant: {
      const std::uint32_t width = width_of(module_, definition.type);
      if (width == 0) return std::nullopt;
      const std::uint64_t high = width > 32 ? definition.operand(1) : 0;
      return cut(high << 32 | definition.operand(0), width);
    }
    case SpvOpSpecConstantOp:
      if (depth >= deepest_constant) return std::nullopt;
      return operation(definition, depth + 1);
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> Constants::operation(const Instruction& i, int depth) const {
  const auto a = value(i.operand(1), depth);
  if (!a) return std::nullopt;
  const std::uint32_t width = width_of(module_, i.type);
  const std::uint32_t from = width_of(module_, module_.definition(i.operand(1)).type);
  switch (i.operand(0)) {
    case SpvOpUConvert:
      return cut(*a, width);
    case SpvOpSConvert:
      return cut(static_cast<std::uint64_t>(as_signed(*a, from)), width);
    case SpvOpSNegate:
      return cut(~*a + 1, width);
    case SpvOpNot:
      return cut(~*a, width);
    case SpvOpLogicalNot:
      return *a == 0;
    default:
      break;
  }
  const auto b = value(i.operand(2), depth);
  if (!b) return std::nullopt;
  const std::int64_t sa = as_signed(*a, from), sb = as_signed(*b, from);
  switch (i.operand(0)) {
    case SpvOpIAdd:
      return cut(*a + *b, width);
    case SpvOpISub:
      return cut(*a - *b, width);
    case SpvOpIMul:
      return cut(*a * *b, width);
    case SpvOpUDiv:
      return *b ? std::optional(*a / *b) : std::nullopt;
    case SpvOpUMod:
      return *b ? std::optional(*a % *b) : std::nullopt;
    case SpvOpSDiv:
      if (sb == 0 || sb == -1) return sb ? std::optional(cut(~*a + 1, width)) : std::nullopt;
      return cut(static_cast<std::uint64_t>(sa / sb), width);
    case SpvOpSRem:
      if (sb == 0 || sb == -1) return sb ? std::optional<std::uint64_t>(0) : std::nullopt;
      return cut(static_cast<std::uint64_t>(sa % sb), width);
    case SpvOpShiftLeftLogical:
      return *b < 64 ? cut(*a << *b, width) : 0;
    case SpvOpShiftRightLogical:
      return *b < 64 ? *a >> *b : 0;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd:
      return *a & *b;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr:
      return *a | *b;
    case SpvOpBitwiseXor:
      return *a ^ *b;
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
      return *a == *b;
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
      return *a != *b;
    case SpvOpULessThan:
      return *a < *b;
    case SpvOpULessThanEqual:
      return *a <= *b;
    case SpvOpUGreaterThan:
      return *a > *b;
    case SpvOpUGreaterThanEqual:
      return *a >= *b;
    case SpvOpSLessThan:
      return sa < sb;
    case SpvOpSGreaterThan:
      return sa > sb;
    case SpvOpSelect:
      return *a ? b : value(i.operand(3), depth);
    default:
      return std::nullopt;
  }
}

}  // namespace reel::spirv
