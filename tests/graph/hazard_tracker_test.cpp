#include "graph/order/hazard_tracker.hpp"

#include "graph/random_graph.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::uint32_t ranges_of(const Dispatch& dispatch) {
  std::uint32_t ranges = 0;
  for (std::size_t i = 0; i < dispatch.arguments.size(); ++i)
    if (dispatch.arguments[i].kind == ArgumentKind::buffer &&
        dispatch.arguments[i].range.size_bytes)
      ranges |= 1u << i;
  return ranges;
}

struct HazardTrackerTest : testing::Test {
  Buffer x = make_buffer("x"), y = make_buffer("y"), z = make_buffer("z");
  HazardTracker tracker;
  HostCall call{std::make_shared<const std::function<void()>>([] {})};
};

TEST_F(HazardTrackerTest, LetsCommandsOverlapUntilTheyConflict) {
  EXPECT_FALSE(tracker.needs_barrier(Fill{x}));
  EXPECT_FALSE(tracker.needs_barrier(Fill{y}));
  EXPECT_TRUE(tracker.needs_barrier(Copy{z, x}));  // reads what was written
  EXPECT_FALSE(tracker.needs_barrier(Copy{y.range(8, 8), y.range(0, 8)}));
  EXPECT_TRUE(tracker.needs_barrier(Fill{x}));  // writes what was read
  EXPECT_TRUE(tracker.needs_barrier(Fill{x}));  // writes what was written
  EXPECT_EQ(tracker.barriers(), 3u);
  EXPECT_EQ(tracker.avoided(), 2u);
  EXPECT_THAT(tracker.group_sizes(), ElementsAre(2u, 2u));
}

TEST_F(HazardTrackerTest, NeighbouringSlicesDontConflict) {
  for (std::uint64_t i = 0; i < 64; ++i)
    EXPECT_FALSE(tracker.needs_barrier(Fill{x.range((i * 37) % 64, 1)}));
  EXPECT_TRUE(tracker.needs_barrier(Fill{x.range(63, 1)}));
}

TEST_F(HazardTrackerTest, ReadsNeverConflictWithReads) {
  EXPECT_FALSE(tracker.needs_barrier(Copy{y, x}));
  EXPECT_FALSE(tracker.needs_barrier(Copy{z, x}));
}

TEST_F(HazardTrackerTest, HostCallsStandAlone) {
  EXPECT_FALSE(tracker.needs_barrier(call));
  EXPECT_TRUE(tracker.needs_barrier(Fill{x}));
  EXPECT_TRUE(tracker.needs_barrier(call));
  EXPECT_TRUE(tracker.needs_barrier(call));
  EXPECT_TRUE(tracker.needs_barrier(Fill{x.range(0, 0)}));  // touches nothing, and still waits
  EXPECT_EQ(tracker.barriers(), 4u);
  EXPECT_EQ(tracker.avoided(), 0u);
}

TEST_F(HazardTrackerTest, ABarrierHasNothingToSeparateAtFirst) {
  EXPECT_FALSE(tracker.needs_barrier(Barrier{}));
  EXPECT_FALSE(tracker.needs_barrier(Fill{x}));
  EXPECT_TRUE(tracker.needs_barrier(Barrier{}));
  EXPECT_FALSE(tracker.needs_barrier(Fill{x}));
  EXPECT_EQ(tracker.barriers(), 1u);
  EXPECT_THAT(tracker.group_sizes(), ElementsAre(2u));
}

TEST_F(HazardTrackerTest, BetweenLooksWithoutRegistering) {
  const std::vector<BufferRange> xs{x}, ys{y}, none;
  tracker.needs_barrier(Fill{x});
  EXPECT_FALSE(tracker.between(ys, ys));
  EXPECT_FALSE(tracker.between(none, none));
  EXPECT_TRUE(tracker.between(xs, ys));
  EXPECT_FALSE(tracker.between(xs, xs)) << "a new group has begun";
  tracker.needs_barrier(Copy{y, x});
  EXPECT_FALSE(tracker.between(xs, none));
  EXPECT_TRUE(tracker.between(none, xs));
  EXPECT_EQ(tracker.barriers(), 2u);
  tracker.needs_barrier(call);
  EXPECT_TRUE(tracker.between(xs, none));
}

TEST_F(HazardTrackerTest, BarrierCountsAndForgetDoesnt) {
  tracker.needs_barrier(Fill{x});
  tracker.barrier();
  EXPECT_FALSE(tracker.needs_barrier(Fill{x}));
  tracker.forget();
  EXPECT_FALSE(tracker.needs_barrier(Fill{x}));
  EXPECT_EQ(tracker.barriers(), 1u);
  EXPECT_EQ(tracker.avoided(), 0u);
  EXPECT_THAT(tracker.group_sizes(), ElementsAre(3u));
  EXPECT_THAT(HazardTracker().group_sizes(), IsEmpty());
}

TEST_F(HazardTrackerTest, WorksWithMoreBuffersThanItRemembers) {
  std::vector<Buffer> many;
  for (int i = 0; i < 5000; ++i) {
    many.push_back(make_buffer("b"));
    EXPECT_FALSE(tracker.needs_barrier(Fill{many.back()}));
  }
  EXPECT_TRUE(tracker.needs_barrier(Fill{many.front()}));
  EXPECT_FALSE(tracker.needs_barrier(Fill{many.back()}));
  EXPECT_TRUE(tracker.needs_barrier(Fill{many.front()}));
}

TEST(AnyLineOfCommands, GetsABarrierExactlyWhereItConflictsWithTheGroup) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomGraphs random(seed);
    HazardTracker tracker, quick;  // the latter takes the shorter way of dispatches
    Graph group;
    std::size_t barriers = 0, avoided = 0;
    for (int i = 0; i < 40; ++i) {
      const Command command = random.make_work();
      const NodeId next = group.add(command);
      bool conflicts = false;
      for (std::size_t g = 0; g < index_of(next); ++g)
        conflicts = conflicts || conflict(touches(group, node(g)), touches(group, next));
      ASSERT_EQ(tracker.needs_barrier(command.work), conflicts);
      const auto* dispatch = std::get_if<Dispatch>(&command.work);
      ASSERT_EQ(dispatch ? quick.needs_barrier(dispatch->arguments, ranges_of(*dispatch))
                         : quick.needs_barrier(command.work),
                conflicts);
      barriers += conflicts;
      avoided += !conflicts && index_of(next) > 0;
      if (conflicts) {
        group = Graph();
        group.add(command);
      }
    }
    EXPECT_EQ(tracker.barriers(), barriers);
    EXPECT_EQ(tracker.avoided(), avoided);
    EXPECT_EQ(quick.barriers(), barriers);
    EXPECT_EQ(quick.avoided(), avoided);
    EXPECT_EQ(quick.group_sizes(), tracker.group_sizes());
  }
}

}  // namespace
}  // namespace reel::test
