#include "graph/order/plan.hpp"

#include "graph/fixtures.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> labels(const Plan& plan) {
  std::vector<std::string> result;
  for (const Step& step : plan.steps) result.emplace_back(step.command.label);
  return result;
}
std::vector<bool> barriers(const Plan& plan) {
  std::vector<bool> result;
  for (const Step& step : plan.steps) result.push_back(step.barrier_before);
  return result;
}

struct PlanTest : testing::Test {
  Buffer x = make_buffer("x"), y = make_buffer("y"), z = make_buffer("z");
  Graph graph;

  // As a captured stream does: each after the one before.
  void stream(Command command, std::string_view label) {
    command.label = label;
    std::vector<NodeId> after;
    if (!graph.empty()) after.push_back(node(graph.node_count() - 1));
    graph.add(command, after, EdgeKind::stream);
  }
};

TEST_F(PlanTest, AnEmptyGraphHasNoSteps) {
  const Plan plan = make_plan(graph, {});
  EXPECT_THAT(plan.steps, IsEmpty());
  EXPECT_EQ(plan.barriers, 0u);
}

TEST_F(PlanTest, PutsIndependentStepsSideBySide) {
  stream({Fill{x}}, "a");
  stream({Copy{y, x}}, "b");
  stream({Fill{z}}, "c");
  const Plan plan = make_plan(graph, {});
  EXPECT_THAT(labels(plan), ElementsAre("a", "c", "b"));
  EXPECT_THAT(barriers(plan), ElementsAre(false, false, true));
  EXPECT_EQ(plan.barriers, 1u);
  EXPECT_EQ(plan.reordered, 2u);
  EXPECT_EQ(plan.steps[1].node, node(2));
  EXPECT_THAT(plan.steps[2].waits, ElementsAre(0u));
  EXPECT_EQ(plan.steps[2].level, 1u);
}

TEST_F(PlanTest, KeepsTheRecordedOrderWhenTold) {
  stream({Fill{x}}, "a");
  stream({Copy{y, x}}, "b");
  stream({Fill{z}}, "c");
  const Plan plan = make_plan(graph, {.reorder = false});
  EXPECT_THAT(labels(plan), ElementsAre("a", "b", "c"));
  EXPECT_THAT(barriers(plan), ElementsAre(false, true, false));
  EXPECT_EQ(plan.reordered, 0u);
}

TEST_F(PlanTest, KeepsTheOrderOfStreamsWhenTold) {
  stream({Fill{x}}, "a");
  stream({Fill{y}}, "b");
  stream({Fill{z}}, "c");
  EXPECT_EQ(make_plan(graph, {}).barriers, 0u);
  const Plan plan = make_plan(graph, {.relax_order = false});
  EXPECT_EQ(plan.barriers, 2u);
  EXPECT_THAT(plan.steps[2].waits, ElementsAre(1u));
}

TEST_F(PlanTest, NeverDropsWhatWasAskedFor) {
  graph.add_fill(x, std::uint8_t{0}, {.label = "a"});
  graph.add_fill(y, std::uint8_t{0}, {.label = "b", .after = {node(0)}});
  EXPECT_EQ(make_plan(graph, {}).barriers, 1u);
}

// The hazard that a dropped edge of a stream stood for must stay.
TEST_F(PlanTest, KeepsHazardsBetweenNeighboursOfAStream) {
  stream({Fill{x}}, "a");
  stream({Fill{x, 1}}, "b");
  const Plan plan = make_plan(graph, {});
  EXPECT_THAT(plan.steps[1].waits, ElementsAre(0u));
  EXPECT_TRUE(plan.steps[1].barrier_before);
}

TEST_F(PlanTest, BarriersVanishAndTheirOrderStays) {
  stream({Fill{x}}, "a");
  stream({Fill{y}}, "b");
  stream({Barrier{}}, "fence");
  stream({Fill{z}}, "c");
  const Plan plan = make_plan(graph, {});
  EXPECT_THAT(labels(plan), ElementsAre("a", "b", "c"));
  EXPECT_THAT(barriers(plan), ElementsAre(false, false, true));
  EXPECT_THAT(plan.steps[2].waits, ElementsAre(0u, 1u));
}

TEST_F(PlanTest, HostCallsStayWhereTheyAre) {
  stream({Fill{x}}, "a");
  stream({HostCall{std::make_shared<const std::function<void()>>([] {})}}, "call");
  stream({Fill{y}}, "b");
  EXPECT_THAT(labels(make_plan(graph, {})), ElementsAre("a", "call", "b"));
  EXPECT_EQ(make_plan(graph, {}).barriers, 2u);
}

TEST_F(PlanTest, FlattensChildrenOfChildren) {
  Graph inner, middle;
  inner.add_copy(y, x, {.label = "inner", .scope = Scope().child("attention")});
  middle.add_fill(x, std::uint8_t{1}, {.label = "middle"});
  middle.add_child(inner, {.scope = Scope().child("layer0")});
  graph.add_fill(z, std::uint8_t{0}, {.label = "top"});
  graph.add_child(middle, {.scope = Scope().child("pass")});
  graph.add_fill(z, std::uint8_t{1}, {.label = "after", .after = {node(1)}});
  const Plan plan = make_plan(graph, {});
  EXPECT_THAT(labels(plan), ElementsAre("top", "middle", "inner", "after"));
  EXPECT_EQ(plan.steps[2].node, node(1));
  EXPECT_EQ(plan.steps[2].command.scope.path(), "pass/layer0/attention");
  EXPECT_EQ(plan.steps[1].command.scope.path(), "pass");
  EXPECT_THAT(plan.steps[3].waits, ElementsAre(0u, 2u));
}

TEST_F(PlanTest, AnEmptyChildStillJoins) {
  graph.add_fill(x, std::uint8_t{0}, {.label = "a"});
  graph.add_child(Graph(), {.after = {node(0)}});
  graph.add_fill(y, std::uint8_t{0}, {.label = "b", .after = {node(1)}});
  EXPECT_THAT(make_plan(graph, {}).steps[1].waits, ElementsAre(0u));
}

TEST_F(PlanTest, OutlivesTheGraph) {
  Plan plan;
  {
    Graph short_lived;
    const std::vector<std::byte> data(8, std::byte{3});
    short_lived.add_write(make_buffer("gone", 8), data, {.label = "a label of some length here"});
    plan = make_plan(short_lived, {});
  }
  EXPECT_EQ(plan.steps[0].command.label, "a label of some length here");
  EXPECT_EQ(std::get<Write>(plan.steps[0].command.work).target.buffer->label, "gone");
  EXPECT_EQ(std::get<Write>(plan.steps[0].command.work).data[7], std::byte{3});
}

}  // namespace
}  // namespace reel::test
