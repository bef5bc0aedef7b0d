#include "reel/trend.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "document/sample_document.hpp"
#include "reel/documents.hpp"
#include "reel/error.hpp"
#include "run_documents.hpp"

namespace reel::test {
namespace {

using analysis::find_change_point;

// Times as machines have them: noise that is skewed, with a run now and then that is far off.
double noisy(std::mt19937_64& random, double middle, double noise) {
  std::normal_distribution<double> normal(0, noise);
  double value = middle * std::exp(normal(random));
  if (random() % 20 == 0) value *= 1.3;
  return value;
}

std::vector<double> row(std::mt19937_64& random, std::size_t count, std::size_t at, double change,
                        double noise) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i)
    numbers.push_back(noisy(random, i < at ? 1000 : 1000 * (1 + change), noise));
  return numbers;
}

TEST(ChangePoint, OfEqualDocumentsAtMostOneInTwentyIsCalledChanged) {
  std::mt19937_64 random(1);
  constexpr int rows = 1000;
  int called = 0;
  for (int i = 0; i < rows; ++i) {
    const auto found =
        find_change_point(row(random, 40, 40, 0, 0.03), std::vector<bool>(40, true), 499);
    called += found && found->p <= 0.05;
  }
  // 5 % of 1000, and what chance adds to that in one case of a hundred.
  EXPECT_LE(called, 67);
  EXPECT_GE(called, 20) << "it can't tell anything apart";
}

TEST(ChangePoint, TenPercentInTheMiddleIsFoundWhereItIs) {
  std::mt19937_64 random(2);
  constexpr int rows = 300;
  int called = 0, near = 0;
  for (int i = 0; i < rows; ++i) {
    const auto found =
        find_change_point(row(random, 40, 20, 0.1, 0.02), std::vector<bool>(40, true), 499);
    ASSERT_TRUE(found);
    called += found->p <= 0.05;
    near += found->at >= 19 && found->at <= 21;
  }
  EXPECT_EQ(called, rows);
  EXPECT_GE(near, rows * 95 / 100);
}

TEST(ChangePoint, TooFewNumbersHaveNone) {
  EXPECT_FALSE(find_change_point({1, 2, 3, 4, 5}, std::vector<bool>(5, true)));
  const auto few = find_change_point({1, 1, 1, 2, 2, 2}, std::vector<bool>(6, true));
  ASSERT_TRUE(few);
  EXPECT_EQ(few->at, 3U);
  EXPECT_GT(few->p, 0.05);
  const auto equal = find_change_point(std::vector<double>(20, 7), std::vector<bool>(20, true));
  ASSERT_TRUE(equal);
  EXPECT_EQ(equal->p, 1);
}

TEST(ChangePoint, IsOnlyWhereACommitBegins) {
  std::vector<bool> may_begin(12, false);
  may_begin[0] = may_begin[4] = may_begin[8] = true;
  const auto found =
      find_change_point({1, 1.1, 1, 1.2, 1.1, 2, 2.1, 2, 2.2, 2, 2.1, 2.3}, may_begin);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at, 4U);
}

class TrendOfDocuments : public testing::Test {
 protected:
  // Forty commits; `slow` is 10 % slower since the twentieth, `steady` is not. Names of files and
  // commits don't tell the order.
  void write_runs(bool has_sequence = false, bool has_commit = true) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 40; ++i) {
      reel::test::Run run;
      if (has_commit) run.facts["commit"] = commit_of(i);
      if (has_sequence) run.facts["sequence"] = std::to_string(i);
      // With a sequence, the clock goes the other way.
      run.started = fmt::format("2026-01-{:02}T00:00:00Z", has_sequence ? 31 - i % 31 : i % 31 + 1);
      if (i >= 31 && !has_sequence) run.started = fmt::format("2026-02-{:02}T00:00:00Z", i - 30);
      for (const char* name : {"steady", "slow"}) {
        const bool is_slower = name == std::string("slow") && i >= 20;
        RunKernel& kernel = run.kernels.emplace_back();
        kernel.name = name;
        kernel.scope = "layer0";
        for (int c = 0; c < 9; ++c)
          kernel.run_ns.push_back(
              static_cast<std::uint64_t>(noisy(random, is_slower ? 110'000 : 100'000, 0.02)));
      }
      write_run(folder_ / fmt::format("{:02}.reel", (i * 7) % 40), run);
    }
  }
  static std::string commit_of(int i) { return fmt::format("{:04x}", (i * 40503) & 0xffff); }
  std::vector<std::string> documents() { return documents_in(folder_ / ""); }

  TemporaryFolder folder_;
};

void expect_slow_since_the_twentieth(const analysis::Trend& trend, const std::string& last,
                                     const std::string& first) {
  ASSERT_EQ(trend.runs.size(), 40U);
  ASSERT_EQ(trend.lines.size(), 2U);
  const analysis::TrendLine& slow = trend.lines[0];
  EXPECT_EQ(slow.kernel, "slow");
  EXPECT_EQ(slow.scope, "layer0");
  EXPECT_EQ(slow.device, "Simulated GPU");
  ASSERT_TRUE(slow.change);
  EXPECT_EQ(trend.runs[slow.points[slow.change->at - 1].run].by, last);
  EXPECT_EQ(trend.runs[slow.points[slow.change->at].run].by, first);
  EXPECT_NEAR(slow.change->share(), 0.1, 0.02);
  EXPECT_EQ(slow.points[0].count, 9U);
  ASSERT_TRUE(slow.noise);
  EXPECT_NEAR(*slow.noise, 0.01, 0.008);
  EXPECT_FALSE(trend.lines[1].change);
}

TEST_F(TrendOfDocuments, SaysSinceWhichCommitByTheTimeOfRecording) {
  write_runs();
  expect_slow_since_the_twentieth(find_trend(documents()), commit_of(19), commit_of(20));
}

TEST_F(TrendOfDocuments, GoesBySequenceWhereAllHaveIt) {
  write_runs(true);
  expect_slow_since_the_twentieth(find_trend(documents()), commit_of(19), commit_of(20));
}

TEST_F(TrendOfDocuments, NamesWhatItCouldNotUse) {
  write_runs();
  std::ofstream(folder_ / "99.reel") << "no document";
  write_run(folder_ / "98.reel", {});
  const analysis::Trend trend = find_trend(documents());
  EXPECT_EQ(trend.runs.size(), 40U);
  EXPECT_EQ(trend.left_out, 1U);
  EXPECT_EQ(trend.without_fact, 1U);
  EXPECT_THAT(trend.problems, testing::ElementsAre(testing::HasSubstr("99.reel")));
}

TEST_F(TrendOfDocuments, OfNoCommitAtAllThereIsNone) {
  write_runs(false, false);
  EXPECT_THROW(find_trend(documents()), Error);
}

}  // namespace
}  // namespace reel::test
