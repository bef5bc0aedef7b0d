#include "export/programs/program_values.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace reel::program {
namespace {

template <class T>
std::array<std::string, 2> code_of(ElementType type, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {cpp_literal(type, bytes).code, python_literal(type, bytes).code};
}
using Both = std::array<std::string, 2>;

TEST(ProgramValues, NumbersReadAsNumbersOfTheirType) {
  EXPECT_EQ(code_of(ElementType::f32, 2.5f), (Both{"2.5F", "numpy.float32(2.5)"}));
  EXPECT_EQ(code_of(ElementType::f32, 2.0f), (Both{"2.0F", "numpy.float32(2.0)"}));
  EXPECT_EQ(code_of(ElementType::f32, 1e-5f), (Both{"1e-05F", "numpy.float32(1e-05)"}));
  EXPECT_EQ(code_of(ElementType::f32, -0.0f), (Both{"-0.0F", "numpy.float32(-0.0)"}));
  EXPECT_EQ(code_of(ElementType::f64, 0.1), (Both{"0.1", "numpy.float64(0.1)"}));
  EXPECT_EQ(code_of(ElementType::u32, 256u), (Both{"std::uint32_t{256}", "numpy.uint32(256)"}));
  EXPECT_EQ(code_of(ElementType::i32, -3), (Both{"std::int32_t{-3}", "numpy.int32(-3)"}));
  EXPECT_EQ(code_of(ElementType::i8, std::int8_t{-1}), (Both{"std::int8_t{-1}", "numpy.int8(-1)"}));
  EXPECT_EQ(code_of(ElementType::u64, ~std::uint64_t{0}),
            (Both{"std::uint64_t{18446744073709551615u}", "numpy.uint64(18446744073709551615)"}));
  EXPECT_EQ(
      code_of(ElementType::i64, std::numeric_limits<std::int64_t>::min()),
      (Both{"std::numeric_limits<std::int64_t>::min()", "numpy.int64(-9223372036854775808)"}));
}

TEST(ProgramValues, WhatDigitsCantTellIsWrittenBitByBit) {
  EXPECT_EQ(
      code_of(ElementType::f32, std::bit_cast<float>(0x7fc12345u)),
      (Both{"std::bit_cast<float>(0x7fc12345u)", "numpy.uint32(0x7fc12345).view(numpy.float32)"}));
  EXPECT_EQ(code_of(ElementType::f64, std::numeric_limits<double>::infinity()),
            (Both{"std::bit_cast<double>(std::uint64_t{0x7ff0000000000000u})",
                  "numpy.uint64(0x7ff0000000000000).view(numpy.float64)"}));
  const std::uint16_t half = 0x3e00;
  EXPECT_EQ(code_of(ElementType::f16, half),
            (Both{"std::uint16_t{0x3e00}", "numpy.uint16(0x3e00)"}));
  EXPECT_EQ(cpp_literal(ElementType::f16, std::as_bytes(std::span(&half, 1))).comment, "f16 1.5");
}

TEST(ProgramValues, VectorsAreArrays) {
  const std::array<float, 2> pair{1, 2};
  EXPECT_EQ(code_of(ElementType::f32, pair),
            (Both{"std::array<float, 2>{1.0F, 2.0F}",
                  "numpy.array([numpy.float32(1.0), numpy.float32(2.0)], numpy.float32)"}));
}

TEST(ProgramValues, OfAnUnknownTypeReadAsWhatTheyLookLike) {
  const auto cpp = [](const auto& value) {
    return cpp_literal(std::nullopt, std::as_bytes(std::span(&value, 1)));
  };
  EXPECT_EQ(cpp(256u).code, "std::uint32_t{256}");
  EXPECT_EQ(cpp(256u).comment, "type guessed");
  EXPECT_EQ(cpp(-1).code, "std::int32_t{-1}");
  EXPECT_EQ(cpp(1e-5f).code, "1e-05F");
  EXPECT_EQ(cpp(std::uint64_t{1} << 33).code, "std::uint64_t{8589934592u}");
  EXPECT_EQ(cpp(0.25).code, "0.25");
  EXPECT_EQ(cpp(std::uint16_t{7}).code, "std::uint16_t{7}");
}

TEST(ProgramValues, OfNoTypeAreBytes) {
  const std::array<unsigned char, 12> bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const auto all = std::as_bytes(std::span(bytes));
  EXPECT_EQ(cpp_literal(std::nullopt, all).code,
            "std::array<unsigned char, 12>{0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, "
            "0x0a,\n    0x0b, 0x0c}");
  EXPECT_EQ(python_literal(std::nullopt, all).code,
            "bytes.fromhex(\"01020304 05060708 090a0b0c\")");
  EXPECT_EQ(cpp_literal(ElementType::f32, all.first(3)).code,
            "std::array<unsigned char, 3>{0x01, 0x02, 0x03}")
      << "no whole number of elements";
}

}  // namespace
}  // namespace reel::program
