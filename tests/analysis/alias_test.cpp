// Buffers that could share memory, and some that only look like it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/made_document.hpp"
#include "reel/insights.hpp"

namespace reel {
namespace {

using testing::HasSubstr;

struct Shape {
  bool writes_all = true;  // the second buffer, each time
  bool apart = true;       // the first is read before the second is written
  bool read_outside = false;
};

// a -> b -> c in each pass: a and c are never needed at once.
std::optional<analysis::Finding> found_in(const Shape& shape) {
  test::MadeDocument made;
  const auto k = made.kernel("k"), weights = made.buffer({.size = 100});
  const auto a = made.buffer({.size = 1000, .label = "a"}),
             b = made.buffer({.size = 10, .label = "b"}),
             c = made.buffer({.size = 1000, .label = "c"}), out = made.buffer({.size = 10});
  double t = 10;
  const auto run = [&] { return test::Span{t += 10, t + 5}; };
  for (int pass = 0; pass < 4; ++pass) {
    const double begin = t + 5;
    made.add({.kernel = k, .run = run(), .reads = {{weights}}, .writes = {{a}}});
    made.add({.kernel = k, .run = run(), .reads = {{a}}, .writes = {{b}}});
    made.add({.kernel = k,
              .run = run(),
              .reads = shape.apart ? std::vector<test::MadeRange>{{b}}
                                   : std::vector<test::MadeRange>{{b}, {a}},
              .writes = {{c, 0, shape.writes_all ? 1000u : 500u}}});
    made.add({.kernel = k, .run = run(), .reads = {{c}}, .writes = {{out}}});
    made.pass({begin, t + 6});
    if (shape.read_outside) made.add({.kind = WorkKind::read, .run = run(), .reads = {{a}}});
  }
  const Trace trace = made.trace();
  for (const analysis::Finding& finding : find_insights(trace, analyze(trace)))
    if (finding.id == "mem.alias") return finding;
  return std::nullopt;
}

TEST(MemAlias, IsFoundForBuffersThatAreNeededOneAfterTheOther) {
  const auto finding = found_in({});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_bytes, 2010u - 1010u);
  EXPECT_THAT(finding->title, HasSubstr("'a' and b3 'c' could be the same memory"));
}
TEST(MemAlias, IsNotFoundForBuffersThatAreNeededAtOnce) {
  EXPECT_FALSE(found_in({.apart = false}));
}
TEST(MemAlias, IsNotFoundForBytesThatMayBeOfThePassBefore) {
  EXPECT_FALSE(found_in({.writes_all = false}));
}
TEST(MemAlias, IsNotFoundForBytesThatAreReadBetweenPasses) {
  EXPECT_FALSE(found_in({.read_outside = true}));
}

}  // namespace
}  // namespace reel
