// A plan may be taken over where ranges compare as they did: then a plan made anew is the same.
#include "graph/order/range_order.hpp"

#include <random>

#include "graph/commands/access.hpp"
#include "graph/fixtures.hpp"
#include "graph/order/plan.hpp"

namespace reel::test {
namespace {

const Buffer buffer = make_buffer("x"), another = make_buffer("y");

bool holds(const std::vector<BufferRange>& before, const std::vector<BufferRange>& now) {
  return RangeOrder(before).holds_for(now);
}

TEST(RangeOrder, HoldsWhereAllRangesGrowAlike) {
  EXPECT_TRUE(
      holds({buffer.range(0, 8), buffer.range(8, 8)}, {buffer.range(0, 9), buffer.range(9, 40)}));
}

TEST(RangeOrder, IsAnotherWhereRangesBeginToOverlap) {
  EXPECT_FALSE(
      holds({buffer.range(0, 8), buffer.range(8, 8)}, {buffer.range(0, 9), buffer.range(8, 8)}));
}

TEST(RangeOrder, IsAnotherWhereRangesNoLongerTouch) {
  EXPECT_FALSE(
      holds({buffer.range(0, 8), buffer.range(8, 8)}, {buffer.range(0, 7), buffer.range(8, 8)}));
}

TEST(RangeOrder, LooksAtEachBufferByItself) {
  EXPECT_TRUE(
      holds({buffer.range(0, 8), another.range(8, 8)}, {buffer.range(0, 16), another.range(8, 8)}));
}

// Lines of commands as sessions record them. One in two ranges of the second line lies elsewhere,
// by a byte or by many; wherever the order holds, plans must be the same.
struct RandomLine {
  struct Part {
    std::size_t buffer;
    std::uint64_t begin, size;
    Access access;
  };
  std::vector<std::vector<Part>> commands;
  std::vector<bool> is_fence;

  RandomLine(std::mt19937& random, const std::vector<Buffer>& buffers) {
    const auto below = [&](std::size_t limit) { return random() % limit; };
    for (std::size_t i = 2 + below(14); i-- > 0;) {
      auto& parts = commands.emplace_back();
      is_fence.push_back(below(16) == 0);
      for (std::size_t k = below(4); k-- > 0;) {
        const std::uint64_t begin = below(20);
        parts.push_back({below(buffers.size()), begin, 1 + below(20 - begin),
                         static_cast<Access>(1 + below(3))});
      }
    }
  }
  void change(std::mt19937& random) {
    const std::uint32_t far = random() % 3;
    for (auto& parts : commands)
      for (Part& part : parts) {
        if (random() % (far == 0 ? 1 : 4) != 0) continue;
        // All ends of a line at once (far == 0), some by one, or some anywhere.
        if (far == 0)
          part = {part.buffer, 3 * part.begin, 3 * part.size, part.access};
        else if (far == 1)
          part.size = std::max<std::uint64_t>(1, part.size + random() % 3 - 1);
        else
          part.begin = random() % 20;
      }
  }
  Graph graph(const std::vector<Buffer>& buffers, const Kernel& kernel) const {
    Graph result;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      if (is_fence[i]) {
        result.add_barrier();
        continue;
      }
      std::vector<Argument> arguments;
      for (const Part& p : commands[i])
        arguments.emplace_back(Bound{buffers[p.buffer].range(p.begin, p.size), p.access});
      result.add_dispatch(kernel, one_group, std::span<const Argument>(arguments));
    }
    return result;
  }
};

std::vector<BufferRange> ranges_of(const Graph& graph) {
  std::vector<BufferRange> ranges;
  for (const Node& node : graph.nodes())
    for_each_access(node.command.work, [&](const BufferRange& r, Access) { ranges.push_back(r); });
  return ranges;
}

TEST(RangeOrder, WhereItHoldsAPlanMadeAnewIsTheSame) {
  const std::vector<Buffer> buffers{make_buffer("x", 128), make_buffer("y", 128)};
  const Kernel kernel = make_kernel("k");
  std::mt19937 random(7);
  int held = 0, others = 0;
  for (int i = 0; i < 6000; ++i) {
    SCOPED_TRACE(i);
    RandomLine line(random, buffers);
    const Graph before = line.graph(buffers, kernel);
    line.change(random);
    const Graph now = line.graph(buffers, kernel);
    const RangeOrder order(ranges_of(before));
    ASSERT_TRUE(order.holds_for(ranges_of(before)));
    if (!order.holds_for(ranges_of(now))) {
      ++others;
      continue;
    }
    ++held;
    for (const bool reorder : {false, true}) {
      const Plan a = make_plan(before, {.reorder = reorder}),
                 b = make_plan(now, {.reorder = reorder});
      ASSERT_EQ(a.steps.size(), b.steps.size());
      ASSERT_EQ(a.barriers, b.barriers);
      ASSERT_EQ(a.reordered, b.reordered);
      for (std::size_t s = 0; s < a.steps.size(); ++s) {
        ASSERT_EQ(a.steps[s].node, b.steps[s].node);
        ASSERT_EQ(a.steps[s].level, b.steps[s].level);
        ASSERT_EQ(a.steps[s].barrier_before, b.steps[s].barrier_before);
        ASSERT_EQ(a.steps[s].waits, b.steps[s].waits);
      }
    }
  }
  EXPECT_GT(held, 1000) << "else there is little that this shows";
  EXPECT_GT(others, 1000);
}

}  // namespace
}  // namespace reel::test
