#include "reel/diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/made_document.hpp"

namespace reel {
namespace {

using test::MadeDocument;
using testing::HasSubstr;

struct Shape {
  double matmul = 20, gap = 1, jitter = 0;
  int passes = 5;
  bool extra = false;
  std::string source = "one", scope = "mlp";
  float result = 1;
  std::uint32_t groups = 64;
};

void fill(MadeDocument& made, const Shape& shape) {
  const auto matmul = made.kernel("matmul", shape.source), add = made.kernel("add");
  const auto x = made.buffer(), y = made.buffer();
  double t = 10;
  std::uint32_t last = 0;
  for (int pass = 0; pass < shape.passes; ++pass) {
    const double begin = t;
    const double run = shape.matmul + shape.jitter * (pass % 3);
    made.add({.kernel = matmul,
              .run = {t, t + run},
              .reads = {{x}},
              .writes = {{y}},
              .scope = shape.scope,
              .groups = shape.groups});
    t += run + shape.gap;
    last = made.add(
        {.kernel = add, .run = {t, t + 5}, .reads = {{y}}, .writes = {{x}}, .scope = "mlp"});
    t += 5;
    if (shape.extra) {
      made.add({.kernel = add, .run = {t, t + 30}, .reads = {{y}}, .scope = "extra"});
      t += 30;
    }
    made.pass({begin - 1.5, t + 0.5});
    t += 10;
  }
  made.contents(ContentRole::check, last, x, std::vector<float>(1024, shape.result));
}

analysis::TraceDiff diff_of(const Shape& a, const Shape& b) {
  MadeDocument before, after;
  fill(before, a);
  fill(after, b);
  const Trace first = before.trace(), second = after.trace();
  analysis::TraceDiff found = diff(first, second);
  std::int64_t sum = found.idle_delta_ns;
  for (const analysis::DiffRow& row : found.rows) sum += row.delta_ns();
  EXPECT_EQ(sum, found.total_delta_ns()) << "the parts must make up the whole";
  EXPECT_TRUE(nlohmann::json::accept(analysis::diff_json(first, second, found)));
  return found;
}

const analysis::DiffRow& row(const analysis::TraceDiff& diff, const std::string& scope,
                             const std::string& name) {
  for (const analysis::DiffRow& r : diff.rows)
    if (r.scope == scope && r.name == name) return r;
  ADD_FAILURE() << "no row " << scope << " " << name;
  return diff.rows.at(0);
}

TEST(Diff, OfTheSameIsNothing) {
  const analysis::TraceDiff found = diff_of({}, {});
  EXPECT_EQ(found.total_delta_ns(), 0);
  EXPECT_FALSE(found.significant);
  EXPECT_FALSE(found.contents);
  EXPECT_EQ(found.equal_contents, 1u);
  EXPECT_THAT(found.cause, HasSubstr("No difference"));
}

TEST(Diff, NamesTheKernelThatGotSlower) {
  const analysis::TraceDiff found = diff_of({}, {.matmul = 40});
  EXPECT_EQ(found.total_delta_ns(), 20'000);
  EXPECT_TRUE(found.significant);
  const analysis::DiffRow& matmul = row(found, "mlp", "matmul");
  EXPECT_EQ(matmul.change, analysis::Change::slower);
  EXPECT_EQ(matmul.delta_ns(), 20'000);
  EXPECT_EQ(row(found, "mlp", "add").change, analysis::Change::same);
  EXPECT_THAT(found.cause, HasSubstr("'matmul' in mlp"));
}

TEST(Diff, SaysThatTheSourceChanged) {
  const analysis::TraceDiff found = diff_of({}, {.matmul = 10, .source = "two"});
  EXPECT_TRUE(row(found, "mlp", "matmul").new_source);
  ASSERT_EQ(found.sources.size(), 1u);
  EXPECT_EQ(found.sources[0].text_b, "two");
  EXPECT_THAT(found.cause, HasSubstr("faster"));
  EXPECT_THAT(found.cause, HasSubstr("source"));
}

TEST(Diff, SeesLaunchSizes) {
  EXPECT_TRUE(row(diff_of({}, {.groups = 32}), "mlp", "matmul").new_shape);
}

TEST(Diff, KnowsNoiseFromRepeatedPasses) {
  const analysis::TraceDiff found = diff_of({.jitter = 8}, {.matmul = 22, .jitter = 8});
  EXPECT_FALSE(found.significant);
  EXPECT_EQ(row(found, "mlp", "matmul").change, analysis::Change::same);
  EXPECT_TRUE(row(found, "mlp", "matmul").noise);
}

TEST(Diff, TellsWhatWasAddedAndRemoved) {
  const analysis::TraceDiff more = diff_of({}, {.extra = true});
  EXPECT_EQ(row(more, "extra", "add").change, analysis::Change::added);
  EXPECT_THAT(more.cause, HasSubstr("is new"));
  const analysis::TraceDiff less = diff_of({.extra = true}, {});
  EXPECT_EQ(row(less, "extra", "add").change, analysis::Change::removed);
  EXPECT_THAT(less.cause, HasSubstr("is gone"));
}

TEST(Diff, FollowsAKernelIntoAScopeOfAnotherName) {
  const analysis::TraceDiff found = diff_of({}, {.matmul = 40, .scope = "feed_forward"});
  EXPECT_EQ(row(found, "mlp -> feed_forward", "matmul").delta_ns(), 20'000);
}

TEST(Diff, BlamesIdleTimeWhereKernelsAreTheSame) {
  const analysis::TraceDiff found = diff_of({}, {.gap = 30});
  EXPECT_EQ(found.idle_delta_ns, 29'000);
  EXPECT_THAT(found.cause, HasSubstr("idle"));
}

TEST(Diff, ComparesPassesNotWholeDocuments) {
  const analysis::TraceDiff found = diff_of({.passes = 4}, {.passes = 9});
  EXPECT_EQ(found.total_delta_ns(), 0);
  EXPECT_EQ(found.a.commands, found.b.commands);
}

TEST(Diff, NamesTheFirstResultThatDiffers) {
  const analysis::TraceDiff found = diff_of({}, {.result = 2});
  ASSERT_TRUE(found.contents);
  EXPECT_EQ(found.contents->command_a, 9u);
  EXPECT_EQ(found.contents->value_a, "1");
  EXPECT_EQ(found.contents->value_b, "2");
  EXPECT_EQ(found.contents->largest_absolute, 1);
}

TEST(Diff, OfEmptyDocumentsSaysSo) {
  MadeDocument a, b;
  const analysis::TraceDiff found = diff(a.trace(), b.trace());
  EXPECT_TRUE(found.rows.empty());
  EXPECT_THAT(found.cause, HasSubstr("no times"));
}

}  // namespace
}  // namespace reel
