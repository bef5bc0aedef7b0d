// Rules of launches and of their order. Each rule twice: a document that has the problem, and one
// that only looks like it.
#include "analysis/found.hpp"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void add_launches(MadeDocument& made, double run, double call, std::uint32_t launch = no_index) {
  const auto k = made.kernel("k");
  for (int i = 0; i < 20; ++i) {
    const double t = 10 + 100 * i;
    made.add({.kernel = k,
              .run = {t + call, t + call + run},
              .call = test::Span{t, t + call},
              .launch = launch,
              .node = launch == no_index ? no_index : static_cast<std::uint32_t>(i)});
  }
}

TEST(LaunchBound, IsFoundWhereCallsTakeLongerThanKernels) {
  MadeDocument made;
  add_launches(made, 2, 30);
  const auto finding = find(made, "launch.bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 20u * 28'000);
}
TEST(LaunchBound, IsNotFoundWhereKernelsTakeLonger) {
  MadeDocument made;
  add_launches(made, 30, 2);
  EXPECT_FALSE(find(made, "launch.bound"));
}
// What recording adds to a call is an average: calls below it took no time of their own, and count.
TEST(LaunchBound, IsNotFoundForTheFewWhoseCallsWereLong) {
  MadeDocument made;
  add_launches(made, 3, 2);
  add_launches(made, 3, 2);
  made.overhead({100, 230}, OverheadKind::commands);
  const auto k = made.kernel("k");
  for (int i = 0; i < 16; ++i)
    made.add({.kernel = k,
              .run = {2000.0 + 40 * i, 2003.0 + 40 * i},
              .call = test::Span{1960.0 + 40 * i, 1990.0 + 40 * i}});
  EXPECT_FALSE(find(made, "launch.bound"));
}
TEST(LaunchBound, IsNotFoundInAGraphWhichIsOneCall) {
  MadeDocument made;
  const auto launch =
      made.add({.kind = WorkKind::launch, .run = {1, 2000}, .call = test::Span{0, 1}, .graph = 0});
  add_launches(made, 2, 30, launch);
  EXPECT_FALSE(find(made, "launch.bound"));
}

TEST(LaunchShape, IsFoundWhereUnitsGetNothing) {
  MadeDocument made(16);
  made.add({.kernel = made.kernel("k"), .run = {10, 500}, .groups = 4});
  const auto finding = find(made, "launch.shape");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("4 groups on a device of 16 units"));
}
TEST(LaunchShape, IsFoundForGroupsOfOneItem) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .run = {10, 500}, .groups = 1000, .group_size = 1});
  EXPECT_TRUE(find(made, "launch.shape"));
}
TEST(LaunchShape, IsNotFoundForOneGroupThatTakesNoTime) {
  MadeDocument made(16);
  const auto k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 500}, .groups = 64});
  made.add({.kernel = k, .run = {500, 501}, .groups = 1});
  EXPECT_FALSE(find(made, "launch.shape"));
}

void add_tiny_chain(MadeDocument& made, double run, bool two_readers, bool may_be_skipped = false) {
  const auto k = made.kernel("k"), end = made.buffer();
  const test::MadeRange word{made.buffer(), 0, 4};
  std::vector<std::uint32_t> buffers;
  for (int i = 0; i < 5; ++i) buffers.push_back(made.buffer());
  for (int i = 0; i < 4; ++i) {
    const double t = 10 + i * (run + 3);
    made.add({.kernel = k,
              .run = {t, t + run},
              .call = test::Span{t - 8, t - 2},
              .reads = {{buffers[static_cast<std::size_t>(i)]}},
              .writes = {{buffers[static_cast<std::size_t>(i) + 1]}},
              .run_if = may_be_skipped ? std::optional(word) : std::nullopt});
  }
  if (two_readers)
    for (int i = 1; i < 5; ++i)
      made.add({.kernel = k,
                .run = {1000.0 + 20 * i, 1010.0 + 20 * i},
                .reads = {{buffers[static_cast<std::size_t>(i)]}},
                .writes = {{end}}});
}

TEST(FuseTiny, IsFoundForARunThatPassesResultsOn) {
  MadeDocument made;
  add_tiny_chain(made, 2, false);
  const auto finding = find(made, "fuse.tiny");
  ASSERT_TRUE(finding);
  EXPECT_EQ(number(*finding, "kernels"), 4);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(0, 1, 2, 3));
}
TEST(FuseTiny, IsNotFoundForLargeKernels) {
  MadeDocument made;
  add_tiny_chain(made, 200, false);
  EXPECT_FALSE(find(made, "fuse.tiny"));
}
TEST(FuseTiny, IsNotFoundWhereTheyMayHaveBeenSkipped) {
  MadeDocument made;
  add_tiny_chain(made, 2, false, true);
  EXPECT_FALSE(find(made, "fuse.tiny"));
}
TEST(FuseTiny, IsNotFoundWhereOthersReadTheResultsToo) {
  MadeDocument made;
  add_tiny_chain(made, 2, true);
  EXPECT_FALSE(find(made, "fuse.tiny"));
}

TEST(BarrierRedundant, IsFoundForAWaitThatNobodyNeeds) {
  MadeDocument made;
  const auto x = made.buffer(), y = made.buffer(), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  made.order(made.add({.kind = WorkKind::fill, .stream = side, .run = {2, 3}, .writes = {{y}}}), 0);
  const auto finding = find(made, "barrier.redundant");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(1));
}
TEST(BarrierRedundant, IsFoundForABarrierThatNothingCrosses) {
  MadeDocument made;
  const auto x = made.buffer(), y = made.buffer();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  made.add({.kind = WorkKind::barrier, .call = test::Span{2, 2.1}});
  made.add({.kind = WorkKind::fill, .run = {2, 3}, .writes = {{y}}});
  const auto finding = find(made, "barrier.redundant");
  ASSERT_TRUE(finding);
  EXPECT_EQ(number(*finding, "barriers"), 1);
}
TEST(BarrierRedundant, IsNotFoundWhereDataCrosses) {
  MadeDocument made;
  const auto x = made.buffer(), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  made.add({.kind = WorkKind::barrier, .call = test::Span{2, 2.1}});
  made.add({.kind = WorkKind::read, .run = {2, 3}, .reads = {{x}}});
  made.order(made.add({.kind = WorkKind::read, .stream = side, .run = {4, 5}, .reads = {{x}}}), 0);
  EXPECT_FALSE(find(made, "barrier.redundant"));
}

TEST(RaceRule, NamesBothCommandsAndTheBuffer) {
  MadeDocument made;
  const auto x = made.buffer({.label = "shared"}), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x}}});
  made.add({.kind = WorkKind::read, .stream = side, .run = {2, 3}, .reads = {{x}}});
  const auto finding = find(made, "race");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, analysis::Severity::error);
  EXPECT_THAT(finding->title, HasSubstr("'shared'"));
  EXPECT_THAT(finding->evidence.commands, ElementsAre(0, 1));
}
TEST(RaceRule, IsNotFoundForOtherBytesOfTheSameBuffer) {
  MadeDocument made;
  const auto x = made.buffer(), side = made.stream();
  made.add({.kind = WorkKind::fill, .run = {1, 2}, .writes = {{x, 0, 2048}}});
  made.add({.kind = WorkKind::read, .stream = side, .run = {2, 3}, .reads = {{x, 2048, 2048}}});
  EXPECT_FALSE(find(made, "race"));
}

void add_work_on(MadeDocument& made, bool dependent) {
  const auto k = made.kernel("k"), shared = made.buffer();
  for (int i = 0; i < 12; ++i) {
    const auto own = dependent ? shared : made.buffer();
    made.add({.kernel = k,
              .run = {100.0 + 10 * i, 110.0 + 10 * i},
              .call = test::Span{i * 0.1, i * 0.1 + 0.1},
              .reads = {{own}},
              .writes = {{own}}});
  }
}
TEST(OverlapLost, IsFoundForIndependentWorkInOneStream) {
  MadeDocument made;
  add_work_on(made, false);
  const auto finding = find(made, "overlap.lost");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 110'000u);
}
TEST(OverlapLost, IsNotFoundForAChain) {
  MadeDocument made;
  add_work_on(made, true);
  EXPECT_FALSE(find(made, "overlap.lost"));
}

}  // namespace
}  // namespace reel
