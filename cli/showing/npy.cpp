#include "cli/showing/npy.hpp"

#include <fmt/format.h>

namespace reel::cli {
namespace {

const char* type_code(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return "<f4";
    case ElementType::f16:
      return "<f2";
    case ElementType::f64:
      return "<f8";
    case ElementType::i8:
      return "|i1";
    case ElementType::u8:
    case ElementType::hex:
      return "|u1";
    case ElementType::i16:
      return "<i2";
    case ElementType::u16:
      return "<u2";
    case ElementType::i32:
      return "<i4";
    case ElementType::u32:
      return "<u4";
    case ElementType::i64:
      return "<i8";
    case ElementType::u64:
      return "<u8";
    case ElementType::bf16:
      break;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> npy_header(ElementType type, std::uint64_t count) {
  const char* code = type_code(type);
  if (!code) return std::nullopt;
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", code, count);
  constexpr std::size_t before = 10;  // magic, version, length
  text.resize((before + text.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 255);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace reel::cli
