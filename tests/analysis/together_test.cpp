// Advice that excludes other advice says what comes first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/findings/rules.hpp"
#include "analysis/made_document.hpp"

namespace reel {
namespace {

using analysis::Finding;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Finding advice(const char* id, std::vector<std::uint32_t> commands = {},
               std::vector<std::uint32_t> buffers = {}) {
  Finding finding{.id = id};
  finding.advice = "Record them into a graph.";
  finding.evidence.commands = std::move(commands);
  finding.evidence.buffers = std::move(buffers);
  return finding;
}

TEST(Together, FusingComesAfterTheGraphThatSavesTheSameLaunches) {
  std::vector<Finding> findings{advice("fuse.tiny"), advice("launch.bound"), advice("idle.launch")};
  analysis::put_together(findings);
  EXPECT_THAT(findings[0].after, ElementsAre("launch.bound", "idle.launch"));
  EXPECT_THAT(findings[0].advice, HasSubstr("A graph, as launch.bound advises"));
  EXPECT_THAT(findings[0].advice, Not(HasSubstr("as idle.launch advises"))) << "said once";
  EXPECT_THAT(findings[1].after, IsEmpty());
}

TEST(Together, NodesOfAGraphAreFusedWithoutMoreAdo) {
  std::vector<Finding> findings{advice("fuse.tiny"), advice("idle.launch")};
  findings[1].advice = "These commands are nodes of a graph already: fuse small kernels.";
  analysis::put_together(findings);
  EXPECT_THAT(findings[0].after, IsEmpty());
}

TEST(Together, WhatIsKeptForReuseIsNotFreedEarlier) {
  std::vector<Finding> findings{advice("mem.dead", {}, {3, 4}), advice("mem.churn", {}, {4})};
  analysis::put_together(findings);
  EXPECT_THAT(findings[0].after, ElementsAre("mem.churn"));
  std::vector<Finding> others{advice("mem.dead", {}, {3}), advice("mem.churn", {}, {4})};
  analysis::put_together(others);
  EXPECT_THAT(others[0].after, IsEmpty()) << "they are about other buffers";
}

TEST(Together, WhatNobodyReadsIsLeftOutAndNotCopiedOtherwise) {
  std::vector<Finding> findings{advice("upload.dup", {7}), advice("copy.small", {7, 8}),
                                advice("copy.unused", {7})};
  analysis::put_together(findings);
  EXPECT_THAT(findings[0].after, ElementsAre("copy.unused"));
  EXPECT_THAT(findings[1].after, ElementsAre("copy.unused"));
}

// Tiny kernels in a chain, each launched for longer than it runs.
TEST(Together, HoldsForADocumentAsWell) {
  test::MadeDocument made;
  const auto k = made.kernel("k");
  std::vector<std::uint32_t> buffers;
  for (int i = 0; i < 25; ++i) buffers.push_back(made.buffer());
  for (std::uint32_t i = 0; i < 24; ++i) {
    const double t = 10 + 20.0 * i;
    made.add({.kernel = k,
              .run = {t + 12, t + 14},
              .call = test::Span{t, t + 10},
              .reads = {{buffers[i]}},
              .writes = {{buffers[i + 1]}}});
  }
  const Trace trace = made.trace();
  const analysis::Report report = analyze(trace);
  const auto findings = find_insights(trace, report);
  const auto fuse = std::ranges::find(findings, "fuse.tiny", &Finding::id);
  ASSERT_NE(fuse, findings.end());
  EXPECT_THAT(fuse->after, testing::Contains("launch.bound"));
  const auto json = nlohmann::json::parse(findings_json(trace, report, findings));
  EXPECT_EQ(json["findings"][fuse - findings.begin()]["after"][0], "launch.bound");
}

}  // namespace
}  // namespace reel
