// Which timestamps cut a batch, and what the commands between them are told to have taken.
#include "layers/vulkan/stamps/stamp_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "layers/vulkan/stamps/ticks.hpp"

namespace reel::layer::vk {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;
using testing::IsEmpty;

constexpr std::uint64_t compute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr std::uint64_t copy = VK_PIPELINE_STAGE_2_COPY_BIT;
constexpr std::uint64_t transfer = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
constexpr std::uint64_t all = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;

class StampPlans : public testing::Test {
 protected:
  // Timestamps are at 100, 200, … by their numbers, from 1 on.
  void barrier(std::uint64_t source, std::uint64_t target) {
    const StageBarrier part{source, target};
    plan.add_stamp(next_stamp++);
    plan.add_barrier({&part, 1});
  }
  void work(std::uint64_t stages) { plan.add_work(next_command++, stages); }
  std::vector<TimedCommands> times(const std::map<std::uint32_t, std::uint64_t>& others = {}) {
    return plan.times(0, 10'000, [&](std::uint32_t stamp) -> std::optional<std::uint64_t> {
      const auto found = others.find(stamp);
      if (found == others.end()) return stamp * 100;
      if (found->second == 0) return std::nullopt;
      return found->second;
    });
  }

  StampPlan plan;
  std::uint32_t next_stamp = 1, next_command = 0;
};

TEST_F(StampPlans, ABarrierBetweenTwoCommandsGivesEachItsTime) {
  work(compute);
  barrier(compute, compute);
  next_command++;  // the barrier itself
  work(compute);
  EXPECT_THAT(times(),
              ElementsAre(FieldsAre(0, 1, true, 0, 100), FieldsAre(2, 1, true, 100, 10'000)));
}

TEST_F(StampPlans, CommandsThatNothingKeepsApartShareTheirTime) {
  work(compute);
  work(compute);
  barrier(all, all);
  next_command++;
  work(compute);
  work(copy);
  EXPECT_THAT(times(),
              ElementsAre(FieldsAre(0, 2, false, 0, 100), FieldsAre(3, 2, false, 100, 10'000)));
}

TEST_F(StampPlans, ABarrierThatWaitsForOthersCutsNothing) {
  work(compute);
  barrier(transfer, compute);  // does not wait for the dispatch
  next_command++;
  work(compute);
  EXPECT_THAT(times(), ElementsAre(FieldsAre(0, 3, false, 0, 10'000)));
}

TEST_F(StampPlans, ACommandThatABarrierDoesNotHoldBackMayHaveStartedBefore) {
  work(compute);
  barrier(compute, compute);
  next_command++;
  work(compute);
  work(copy);  // runs as soon as it likes
  EXPECT_THAT(times(), ElementsAre(FieldsAre(0, 4, false, 0, 10'000)));
}

TEST_F(StampPlans, WhatIsMergedIsCutAgainByTheNextBarrierOfAll) {
  work(copy);
  barrier(transfer, compute);
  next_command++;
  work(compute);
  work(copy);
  barrier(all, all);
  next_command++;
  work(compute);
  EXPECT_THAT(times(),
              ElementsAre(FieldsAre(0, 4, false, 0, 200), FieldsAre(5, 1, true, 200, 10'000)));
}

TEST_F(StampPlans, BarriersInARowAreAChain) {
  work(compute);
  barrier(compute, transfer);
  barrier(transfer, VK_PIPELINE_STAGE_2_HOST_BIT | compute);
  next_command += 2;
  work(compute);
  EXPECT_THAT(times(),
              ElementsAre(FieldsAre(0, 1, true, 0, 100), FieldsAre(3, 1, true, 100, 10'000)));
}

TEST_F(StampPlans, PartsOfOneBarrierAreNone) {
  work(compute);
  const StageBarrier parts[] = {{compute, transfer}, {transfer, compute}};
  plan.add_stamp(next_stamp++);
  plan.add_barrier(parts);
  next_command++;
  work(compute);
  EXPECT_THAT(times(), ElementsAre(FieldsAre(0, 3, false, 0, 10'000)));
}

TEST_F(StampPlans, TheEndOfThePipelineIsBehindEverythingAndItsTopBehindNothing) {
  work(compute);
  barrier(VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT, VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT);
  next_command++;
  work(compute);
  barrier(VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT, all);
  next_command++;
  work(compute);
  EXPECT_THAT(times(),
              ElementsAre(FieldsAre(0, 1, true, 0, 100), FieldsAre(2, 3, false, 100, 10'000)));
}

TEST_F(StampPlans, ATimestampBehindABarrierIsAsGoodAsOneBeforeIt) {
  work(compute);
  const StageBarrier part{compute, compute};
  plan.add_barrier({&part, 1});
  next_command++;
  plan.add_stamp(7);
  work(compute);
  EXPECT_TRUE(plan.uses(7));
  EXPECT_THAT(times(),
              ElementsAre(FieldsAre(0, 1, true, 0, 700), FieldsAre(2, 1, true, 700, 10'000)));
}

TEST_F(StampPlans, ATimestampWithoutABarrierIsOfNoUse) {
  work(compute);
  plan.add_stamp(7);
  work(compute);
  EXPECT_FALSE(plan.uses(7));
  EXPECT_THAT(times(), ElementsAre(FieldsAre(0, 2, false, 0, 10'000)));
}

TEST_F(StampPlans, WhatHasNoTimeOrAWrongOneIsPassedOver) {
  for (int i = 0; i < 4; ++i) {
    work(compute);
    barrier(all, all);
    next_command++;
  }
  // The second is missing, the third lies before the first.
  EXPECT_THAT(times({{2, 0}, {3, 50}}),
              ElementsAre(FieldsAre(0, 1, true, 0, 100), FieldsAre(2, 5, false, 100, 10'000)));
  EXPECT_THAT(plan.times(500, 400, [](auto) { return std::nullopt; }), IsEmpty());
}

TEST_F(StampPlans, OwnTimesComeBeforeThoseOfSeveral) {
  work(compute);
  plan.add_own(0, 20, 21);
  work(compute);
  plan.add_own(1, 22, 23);
  EXPECT_THAT(times(),
              ElementsAre(FieldsAre(0, 1, true, 2000, 2100), FieldsAre(1, 1, true, 2200, 2300)));
  // One of them is lost: it ran within what is known of both, and not alone.
  EXPECT_THAT(times({{23, 0}}),
              ElementsAre(FieldsAre(0, 1, true, 2000, 2100), FieldsAre(1, 1, false, 0, 10'000)));
}

TEST(Ticks, OfAShortClockAreFollowedWhereItBeginsAnew) {
  constexpr std::uint64_t turn = std::uint64_t{1} << 36;
  EXPECT_EQ(nearest_tick(123, 64, 7 * turn), 123u);
  EXPECT_EQ(nearest_tick(turn - 5, 36, turn - 100), turn - 5);
  EXPECT_EQ(nearest_tick(10, 36, turn - 100), turn + 10);
  EXPECT_EQ(nearest_tick(turn - 5, 36, turn + 10), turn - 5);
  EXPECT_EQ(nearest_tick(10, 36, 5 * turn + 3), 5 * turn + 10);
  EXPECT_EQ(nearest_tick(turn - 1, 36, 0), turn - 1);           // nothing is known yet
  EXPECT_EQ(nearest_tick(~std::uint64_t{0}, 36, 0), turn - 1);  // what is above is not valid
}

}  // namespace
}  // namespace reel::layer::vk
