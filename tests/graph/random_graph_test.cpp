// Properties that hold for every graph, tried on many, against the plainest way to tell.
#include "graph/random_graph.hpp"

#include <optional>
#include <set>

#include "graph/order/plan.hpp"

namespace reel::test {
namespace {

constexpr unsigned graphs_tried = 300;

template <class F>
void for_random_graphs(F&& check) {
  for (unsigned seed = 0; seed < graphs_tried; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomGraphs random(seed);
    check(random.make(1 + random.below(24)));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(AnyGraph, OrdersEveryPairThatConflicts) {
  for_random_graphs([](const Graph& graph) {
    const std::vector<NodeId> order = graph.topological_order();
    const Relation before = closure(graph.node_count(), graph.edges());
    const std::vector<Touches> all = touches(graph);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        ASSERT_FALSE(before(index_of(order[j]), index_of(order[i])));
        if (conflict(all[index_of(order[i])], all[index_of(order[j])])) {
          ASSERT_TRUE(before(index_of(order[i]), index_of(order[j])))
              << graph.describe(order[i]) << ", " << graph.describe(order[j]);
        }
      }
  });
}

TEST(AnyGraph, InfersNoHazardWithoutAConflict) {
  for_random_graphs([](const Graph& graph) {
    std::set<std::pair<NodeId, NodeId>> pairs;
    for (const Edge& e : graph.edges())
      ASSERT_TRUE(pairs.insert({e.from, e.to}).second) << "a pair comes twice";
    const std::vector<Touches> all = touches(graph);
    for (const Edge& e : graph.hazards())
      ASSERT_TRUE(conflict(all[index_of(e.from)], all[index_of(e.to)]));
  });
}

TEST(AnyGraph, TakesTheFirstReadyNodeFirst) {
  for_random_graphs([](const Graph& graph) {
    std::vector<bool> done(graph.node_count());
    for (const NodeId id : graph.topological_order()) {
      std::vector<bool> ready(graph.node_count(), true);
      for (const Edge& e : graph.dependencies())
        if (!done[index_of(e.from)]) ready[index_of(e.to)] = false;
      std::size_t first = 0;
      while (done[first] || !ready[first]) ++first;
      ASSERT_EQ(index_of(id), first);
      done[first] = true;
    }
  });
}

TEST(AnyGraph, KeepsItsOrderWhenReducedAndNothingMoreCanGo) {
  for_random_graphs([](const Graph& graph) {
    const std::vector<Edge> reduced = graph.reduced_edges();
    const Relation before = closure(graph.node_count(), reduced);
    ASSERT_EQ(before, closure(graph.node_count(), graph.edges()));
    for (std::size_t left_out = 0; left_out < reduced.size(); ++left_out) {
      std::vector<Edge> fewer = reduced;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(left_out));
      ASSERT_NE(before, closure(graph.node_count(), fewer));
    }
  });
}

// --- plans -------------------------------------------------------------------------------------

// The order a plan must have, from the definition: every node of a child for itself, every pair
// looked at.
struct Reference {
  struct Entry {
    std::string label;  // empty: where a child begins or ends
    Touches touches;
    bool is_step = false;
  };
  std::vector<Entry> entries;
  std::vector<std::pair<std::size_t, std::size_t>> before;

  // Returns the entries that stand for the graph.
  std::pair<std::size_t, std::size_t> add(const Graph& graph, bool relax) {
    const std::size_t begin = entries.size();
    std::vector<std::pair<std::size_t, std::size_t>> part(graph.node_count());
    for (const NodeId id : graph.topological_order()) {
      const Node& n = graph.node(id);
      auto& mine = part[index_of(id)];
      mine.first = entries.size();
      if (n.is_child()) {
        entries.push_back({});
        add(*n.child(), relax);
        entries.push_back({});
        // Both gates, which an empty child consists of.
        for (std::size_t i = mine.first; i < entries.size(); ++i) {
          if (i > mine.first) before.emplace_back(mine.first, i);
          if (i + 1 < entries.size()) before.emplace_back(i, entries.size() - 1);
        }
      } else {
        entries.push_back({std::string(n.command.label), touches(graph, id),
                           !std::holds_alternative<Barrier>(n.command.work)});
      }
      mine.second = entries.size();
    }
    for (const Edge& e : graph.dependencies()) {
      if (relax && e.kind == EdgeKind::stream) continue;
      for (auto i = part[index_of(e.from)].first; i < part[index_of(e.from)].second; ++i)
        for (auto j = part[index_of(e.to)].first; j < part[index_of(e.to)].second; ++j)
          before.emplace_back(i, j);
    }
    return {begin, entries.size()};
  }

  // Between steps only, numbered in the order recorded.
  Relation relation() const {
    Relation all(entries.size());
    for (const auto& [i, j] : before) all.add(i, j);
    for (std::size_t i = 0; i < entries.size(); ++i)
      for (std::size_t j = i + 1; j < entries.size(); ++j)
        if (conflict(entries[i].touches, entries[j].touches)) all.add(i, j);
    all.close();
    const std::vector<std::size_t> steps = step_entries();
    Relation result(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (std::size_t j = 0; j < steps.size(); ++j)
        if (all(steps[i], steps[j])) result.add(i, j);
    return result;
  }
  std::vector<std::size_t> step_entries() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].is_step) result.push_back(i);
    return result;
  }
};

void check_plan(const Graph& graph, const PlanOptions& options) {
  const Plan plan = make_plan(graph, options);
  Reference reference;
  reference.add(graph, options.relax_order);
  const std::vector<std::size_t> recorded = reference.step_entries();
  ASSERT_EQ(plan.steps.size(), recorded.size());
  for (const Step& step : plan.steps) ASSERT_TRUE(step.payload);
  const std::size_t count = recorded.size();

  // Labels tell which step is which.
  std::vector<std::size_t> place(count);  // by step in recorded order
  std::size_t moved = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at = 0;
    while (at < count && plan.steps[at].command.label != reference.entries[recorded[i]].label) ++at;
    ASSERT_LT(at, count);
    place[i] = at;
    moved += at != i;
  }
  EXPECT_EQ(plan.reordered, moved);
  if (!options.reorder) {
    EXPECT_EQ(moved, 0u);
  }

  const Relation by_definition = reference.relation();
  Relation needed(count), waits(count), direct(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      if (by_definition(i, j)) needed.add(place[i], place[j]);
  for (std::size_t i = 0; i < count; ++i)
    for (const std::uint32_t p : plan.steps[i].waits) {
      ASSERT_LT(p, i) << "a step stands before one it waits for";
      waits.add(p, i);
      direct.add(p, i);
    }
  waits.close();
  ASSERT_EQ(waits, needed) << "neither less nor more order than needed";

  std::size_t barriers = 0, group_begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = plan.steps[i];
    std::uint32_t level = 0;
    bool needs_one = false;
    for (std::size_t p = 0; p < i; ++p) {
      if (!needed(p, i)) continue;
      level = std::max(level, plan.steps[p].level + 1);
      needs_one = needs_one || p >= group_begin;
      for (std::size_t between = p + 1; between < i; ++between)
        ASSERT_FALSE(direct(p, i) && needed(p, between) && needed(between, i)) << "implied wait";
    }
    EXPECT_EQ(step.level, level);
    ASSERT_EQ(step.barrier_before, needs_one);
    barriers += step.barrier_before;
    if (step.barrier_before) group_begin = i;
  }
  EXPECT_EQ(plan.barriers, barriers);
}

TEST(AnyPlan, HasTheOrderNeededAndTheBarriersForIt) {
  for_random_graphs([](const Graph& graph) {
    for (const bool relax : {false, true})
      for (const bool reorder : {false, true})
        check_plan(graph, {.relax_order = relax, .reorder = reorder});
  });
}

}  // namespace
}  // namespace reel::test
