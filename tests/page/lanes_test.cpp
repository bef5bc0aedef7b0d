// Commands that overlap are drawn beside each other, and counted while they wait.
#include "page/lanes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "document/document_writer.hpp"
#include "document/sample_document.hpp"

namespace reel::test {
namespace {

using namespace reel::document;
using testing::ElementsAre;

struct Given {
  std::uint32_t stream;
  std::uint64_t given, started, ended;  // 0: not known
  std::uint32_t launch = no_index;
};

class LanesTest : public testing::Test {
 protected:
  Trace trace_of(const std::vector<Given>& runs) {
    DocumentWriter writer(folder_ / "x.reel", {}, {.overwrite = true});
    writer.add(DeviceRow{0, "host", "host", "CPU", "cpu", "", "", "", 0, 1, true, 1});
    writer.add(ClockRow{0, t0, t0, 0});
    writer.add(StreamRow{0, 0, ""});
    writer.add(StreamRow{1, 0, ""});
    WorkRow row{};
    row.kind = WorkKind::barrier;
    const std::uint32_t barrier = writer.add(row);
    row.kind = WorkKind::launch;
    row.graph = 0;
    const std::uint32_t launch = writer.add(row);
    for (std::uint32_t i = 0; i < runs.size(); ++i) {
      const Given& run = runs[i];
      const bool launches =
          std::ranges::any_of(runs, [&](const Given& other) { return other.launch == i; });
      writer.add(CommandRow{i, launches ? launch : barrier, run.stream, run.launch,
                            run.launch == no_index ? no_index : 0, 1, t0 + run.given,
                            t0 + run.given + 1});
      if (run.ended) writer.add(StampRow{i, 0, 0, t0 + run.started, t0 + run.ended});
    }
    writer.close({});
    return Trace::load(folder_ / "x.reel");
  }

  // Time, stream, depth, one after the other.
  std::vector<std::uint64_t> depth_of(const std::vector<Given>& runs) {
    std::vector<std::uint64_t> numbers;
    for (const page::DepthPoint& point : page::find_depth(trace_of(runs)))
      numbers.insert(numbers.end(), {point.time_ns - t0, point.stream, point.commands});
    return numbers;
  }

  static constexpr std::uint64_t t0 = sample_start_ns;
  TemporaryFolder folder_;
};

TEST_F(LanesTest, AStreamInOrderHasOne) {
  EXPECT_THAT(page::find_lanes(trace_of({{0, 1, 10, 20}, {0, 2, 20, 30}, {1, 3, 10, 30}})),
              ElementsAre(0, 0, 0));
}

TEST_F(LanesTest, WhatOverlapsGetsTheLowestThatIsFree) {
  EXPECT_THAT(
      page::find_lanes(trace_of(
          {{0, 1, 10, 50}, {0, 2, 20, 30}, {0, 3, 25, 60}, {0, 4, 30, 40}, {0, 5, 55, 70}})),
      ElementsAre(0, 1, 2, 1, 0));
}

TEST_F(LanesTest, OrderOfStartsDecidesNotThatOfNumbers) {
  EXPECT_THAT(page::find_lanes(trace_of({{0, 1, 30, 50}, {0, 2, 10, 40}})), ElementsAre(1, 0));
}

TEST_F(LanesTest, ALaunchLiesAboveItsNodes) {
  EXPECT_THAT(page::find_lanes(trace_of({{0, 1, 10, 50}, {0, 1, 10, 20, 0}, {0, 1, 20, 50, 0}})),
              ElementsAre(0, 1, 1));
}

TEST_F(LanesTest, WithoutTimesItIsTheFirst) {
  EXPECT_THAT(page::find_lanes(trace_of({{0, 1, 10, 50}, {0, 2, 0, 0}})), ElementsAre(0, 0));
}

TEST_F(LanesTest, DepthRisesWhenGivenAndFallsWhenDone) {
  EXPECT_THAT(depth_of({{0, 1, 10, 20}, {0, 5, 20, 30}, {1, 7, 8, 9}}),
              ElementsAre(1, 0, 1, 5, 0, 2, 20, 0, 1, 30, 0, 0, 7, 1, 1, 9, 1, 0));
}

TEST_F(LanesTest, DepthLeavesOutWhatHasNoEndAndLaunchesBesideTheirNodes) {
  EXPECT_THAT(depth_of({{0, 1, 0, 0}, {0, 3, 10, 30}, {0, 3, 10, 20, 1}}),
              ElementsAre(3, 0, 1, 20, 0, 0));
}

}  // namespace
}  // namespace reel::test
