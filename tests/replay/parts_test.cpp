// The pieces that a replay is made of.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "expect_error.hpp"
#include "reel/replay.hpp"
#include "replay/compare.hpp"
#include "replay/statistics.hpp"

namespace reel::rerun {
namespace {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

TEST(Compare, CountsSteps) {
  const std::vector<float> a{1.0f, -0.0f, 0.0f, 1.0f},
      b{std::nextafter(1.0f, 2.0f), 0.0f, std::numeric_limits<float>::denorm_min(), -1.0f};
  const auto distance = [&](std::size_t i) {
    return ulp_distance(bytes_of(a).subspan(4 * i, 4), bytes_of(b).subspan(4 * i, 4),
                        ElementType::f32);
  };
  EXPECT_EQ(distance(0), 1u);
  EXPECT_EQ(distance(1), 0u);
  EXPECT_EQ(distance(2), 1u);
  EXPECT_EQ(distance(3), 2u * std::bit_cast<std::uint32_t>(1.0f));
}

TEST(Compare, IsExactWithoutATolerance) {
  const std::vector<float> a{1, 2, 3}, b{1, std::nextafter(2.0f, 3.0f), 3};
  const Comparison result = compare(bytes_of(a), bytes_of(b), ElementType::f32, std::nullopt);
  EXPECT_EQ(result.different_elements, 1u);
  ASSERT_EQ(result.different.size(), 1u);
  EXPECT_EQ(result.different[0], (ByteSpan{4, 8}));
  EXPECT_EQ(result.largest_ulp, 1u);
}

TEST(Compare, TakesWhatIsCloseEnough) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float other_nan = std::bit_cast<float>(std::bit_cast<std::uint32_t>(nan) + 1);
  const std::vector<float> a{100, 0, nan, 1}, b{100.005f, 0.0005f, other_nan, 1.1f};
  const Comparison result =
      compare(bytes_of(a), bytes_of(b), ElementType::f32, default_tolerance(ElementType::f32));
  // 1e-5 of the largest, 100, lets 0.0005 pass for 0; 1.1 is no 1.
  EXPECT_EQ(result.close_bytes, 12u);
  ASSERT_EQ(result.different.size(), 1u);
  EXPECT_EQ(result.different[0], (ByteSpan{12, 16}));
  EXPECT_NEAR(result.largest_absolute, 0.1, 1e-6);
  EXPECT_NEAR(result.largest_relative, 0.1, 1e-6);
  const Comparison strict = compare(bytes_of(a), bytes_of(b), ElementType::f32,
                                    Tolerance{.relative = 1e-4, .absolute = 0});
  EXPECT_EQ(strict.different_elements, 2u);
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> c{inf, 1}, d{1e38f, nan};
  EXPECT_EQ(compare(bytes_of(c), bytes_of(d), ElementType::f32, Tolerance{.relative = 1})
                .different_elements,
            2u);
}

TEST(Compare, WholeNumbersAndUnknownBytesAreExact) {
  const std::vector<std::int32_t> a{1000000, 2}, b{1000001, 2};
  const Tolerance loose{.relative = 1, .absolute = 1};
  EXPECT_EQ(compare(bytes_of(a), bytes_of(b), ElementType::i32, loose).different_elements, 1u);
  EXPECT_EQ(compare(bytes_of(a), bytes_of(b), std::nullopt, loose).different_elements, 1u);
  const std::vector<std::uint8_t> c{1, 2, 3, 4, 5}, d{1, 2, 3, 4, 6};  // no whole number of floats
  const Comparison rest = compare(bytes_of(c), bytes_of(d), ElementType::f32, loose);
  EXPECT_EQ(rest.equal_bytes, 4u);
  EXPECT_EQ(rest.different_bytes, 1u);
}

TEST(Spread, OfAFewRuns) {
  const Spread spread = spread_of({40, 10, 30, 20, 50});
  EXPECT_EQ(spread.runs, 5u);
  EXPECT_EQ(spread.min, 10);
  EXPECT_EQ(spread.median, 30);
  EXPECT_EQ(spread.max, 50);
  EXPECT_DOUBLE_EQ(spread.p95, 48);
  EXPECT_DOUBLE_EQ(spread.noise, (40.0 - 20.0) / 2 / 30);
  EXPECT_EQ(spread_of({}).runs, 0u);
  EXPECT_EQ(spread_of({7}).p95, 7);
}

TEST(ReplayWords, AreThoseOfTheDocs) {
  EXPECT_STREQ(to_string(ReplayOrder::relaxed), "relaxed");
  EXPECT_STREQ(to_string(Verdict::not_proved), "not_proved");
  EXPECT_STREQ(to_string(Code::timed_out), "timed_out");
}

}  // namespace
}  // namespace reel::rerun
