// How much work is guessed to lie between two barriers, and how much of it is worth a timestamp.
#include "layers/vulkan/stamps/work_costs.hpp"

#include <gtest/gtest.h>

#include <random>

namespace reel::layer::vk {
namespace {

VkPipeline pipeline(std::uintptr_t number) { return reinterpret_cast<VkPipeline>(number); }

TEST(WorkCosts, ATimestampIsWorthManyTimesWhatItTakes) {
  WorkCosts costs;
  EXPECT_FALSE(costs.knows_stamps());
  EXPECT_GT(costs.enough_ns(), 0);
  costs.learn_stamp(10'000);
  EXPECT_FLOAT_EQ(costs.enough_ns(), 160'000);
  costs.learn_stamp(5000);
  costs.learn_stamp(400'000);  // it was interrupted
  EXPECT_FLOAT_EQ(costs.enough_ns(), 80'000);
  EXPECT_FALSE(costs.knows_stamps()) << "a few looks may all have been interrupted";
  costs.learn_stamp(0);  // one that takes less than the clock can tell stands anywhere
  EXPECT_TRUE(costs.knows_stamps());
  EXPECT_FLOAT_EQ(costs.enough_ns(), 0);
}

TEST(WorkCosts, FirstRunsOfAKernelAreTimedEachAndLaterOnesTogetherUntilItIsKnown) {
  WorkCosts costs;
  WorkCost& kernel = costs.of(pipeline(16));
  for (int i = 0; i < 256; ++i) ASSERT_FLOAT_EQ(kernel.guess_ns(1000, 160), 160) << i;
  for (int i = 0; i < 1000; ++i) ASSERT_FLOAT_EQ(kernel.guess_ns(1000, 160), 10) << i;
  kernel.learn(100, 3000);
  EXPECT_FLOAT_EQ(kernel.guess_ns(100, 160), 3000);
  EXPECT_FLOAT_EQ(kernel.guess_ns(2, 160), 60);
}

TEST(WorkCosts, KernelsAreKnownByTheirPipelines) {
  WorkCosts costs;
  EXPECT_EQ(&costs.of(pipeline(16)), &costs.of(pipeline(16)));
  EXPECT_NE(&costs.of(pipeline(16)), &costs.of(pipeline(32)));
  EXPECT_EQ(&costs.of(VK_NULL_HANDLE), &costs.others());
}

TEST(WorkCosts, AProgramThatMakesPipelinesWithoutEndTakesNoMemoryWithoutEnd) {
  WorkCosts costs;
  WorkCost& first = costs.of(pipeline(16));
  for (std::uintptr_t i = 2; i < 20'000; ++i) costs.of(pipeline(16 * i));
  EXPECT_EQ(&costs.of(pipeline(16 * 20'000)), &costs.others());
  EXPECT_EQ(&costs.of(pipeline(16)), &first);
}

TEST(WorkCosts, AnInterruptedRunIsSoonForgotten) {
  WorkCosts costs;
  WorkCost& kernel = costs.of(pipeline(16));
  kernel.learn(1, 4'000'000);  // the driver compiles
  for (int i = 0; i < 12; ++i) kernel.learn(1, 1000);
  EXPECT_FLOAT_EQ(kernel.known_ns(1), 1000);
  kernel.learn(1, 4'000'000);
  EXPECT_FLOAT_EQ(kernel.known_ns(1), 1250);
  kernel.learn(1, 1000);
  EXPECT_FLOAT_EQ(kernel.known_ns(1), 1000);
}

// Whatever it is told, a guess is a number that grows with the size and never stops timestamps for
// good.
TEST(WorkCosts, GuessesAreNumbersWhateverIsLearned) {
  std::mt19937 random(7);
  const float ends[] = {0, 1, 1e-30F, 1e30F, 3e38F, 4'294'967'295.0F};
  for (int round = 0; round < 2000; ++round) {
    WorkCosts costs;
    WorkCost& kernel = costs.of(pipeline(16));
    for (int i = 0; i < 20; ++i) kernel.learn(ends[random() % 6], ends[random() % 6]);
    const float one = kernel.guess_ns(1, 100), many = kernel.guess_ns(64, 100);
    ASSERT_GT(one, 0);
    ASSERT_GE(many, one);
    ASSERT_FALSE(one != one || many != many);
  }
}

}  // namespace
}  // namespace reel::layer::vk
