#include "graph/order/plan.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "graph/node_payload.hpp"
#include "graph/order/hazard_map.hpp"
#include "graph/order/node_uses.hpp"
#include "graph/order/precedence.hpp"

namespace reel {
namespace {

struct Arrival {
  std::uint32_t from;
  EdgeKind kind;
};

// A node in the one long line that a graph and its child graphs make.
struct Item {
  Command command;
  NodeId node{};
  std::shared_ptr<const NodePayload> payload;  // none: where a child begins or ends
  NodeUses uses;
  std::vector<Arrival> in;

  bool vanishes() const {
    return std::holds_alternative<Barrier>(command.work) && !(payload && payload->decision);
  }
};

// Lays out a graph in the order it was recorded. A child graph stands between two items without
// work, its gates: what comes before the child comes before the first, what comes after it after
// the second. Every item inside waits for the first and not only those that wait for nothing else
// in there, since order of streams may be dropped later.
class Flattener {
 public:
  std::vector<Item> items;

  void add(const Graph& graph, std::optional<NodeId> top, Scope scope) {
    std::vector<std::vector<Arrival>> in(graph.node_count());  // `from` is a node of the graph
    for (const Edge& e : graph.dependencies())
      in[index_of(e.to)].push_back({static_cast<std::uint32_t>(e.from), e.kind});

    NodeUsesFinder finder(graph);
    std::vector<std::uint32_t> end_of(graph.node_count());  // the item where a node is done
    for (const NodeId id : graph.topological_order()) {
      const Node& node = graph.nodes()[index_of(id)];
      std::vector<Arrival>& arrivals = in[index_of(id)];
      for (Arrival& a : arrivals) a.from = end_of[a.from];
      Item item{node.command, top.value_or(id), node.payload, {}, std::move(arrivals)};
      item.command.scope = below(scope, node.command.scope);
      if (node.is_child()) {
        add_child(node, std::move(item));
      } else {
        item.uses = finder.of(id);
        items.push_back(std::move(item));
      }
      end_of[index_of(id)] = last();
    }
  }

 private:
  static Scope below(Scope outer, Scope inner) {
    return outer == Scope() ? inner : outer.child(inner.path());
  }
  std::uint32_t last() const { return static_cast<std::uint32_t>(items.size() - 1); }

  void add_child(const Node& node, Item first_gate) {
    const Scope scope = first_gate.command.scope;
    Item second_gate{Command{Barrier{}}, first_gate.node, nullptr, {}, {}};
    first_gate.payload = nullptr;
    items.push_back(std::move(first_gate));
    const std::uint32_t first = last();
    add(*node.payload->child, second_gate.node, scope);
    for (std::uint32_t i = first + 1; i <= last(); ++i) {
      items[i].in.push_back({first, EdgeKind::asked});
      second_gate.in.push_back({i, EdgeKind::asked});
    }
    if (first == last()) second_gate.in.push_back({first, EdgeKind::asked});  // an empty child
    items.push_back(std::move(second_gate));
  }
};

Predecessors order_needed(const std::vector<Item>& items, bool relax_order) {
  Predecessors waits(items.size());
  HazardMap hazards;
  for (std::size_t i = 0; i < items.size(); ++i) {
    waits[i] = hazards.next(items[i].uses.uses, items[i].uses.fence);
    for (const Arrival& a : items[i].in)
      if (!relax_order || a.kind != EdgeKind::stream) waits[i].push_back(a.from);
    sort_unique(waits[i]);
  }
  return waits;
}

// Whoever waits for an item that vanishes waits for what that one waited for.
void pass_through_vanishing(const std::vector<Item>& items, Predecessors& waits) {
  for (auto& list : waits) {
    std::vector<std::uint32_t> through;
    for (const std::uint32_t p : list)
      if (items[p].vanishes()) through.insert(through.end(), waits[p].begin(), waits[p].end());
    if (through.empty() && std::ranges::none_of(list, [&](auto p) { return items[p].vanishes(); }))
      continue;
    std::erase_if(list, [&](std::uint32_t p) { return items[p].vanishes(); });
    list.insert(list.end(), through.begin(), through.end());
    sort_unique(list);
  }
}

// Leaves out the items that vanish, which nobody waits for any more.
void drop_vanishing(std::vector<Item>& items, Predecessors& waits) {
  std::vector<std::uint32_t> place(items.size());
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    place[i] = kept;
    if (items[i].vanishes()) continue;
    if (kept != i) {
      items[kept] = std::move(items[i]);
      waits[kept] = std::move(waits[i]);
    }
    for (std::uint32_t& p : waits[kept]) p = place[p];
    ++kept;
  }
  items.resize(kept);
  waits.resize(kept);
}

// Reduced before barriers are passed through, so that those multiply few edges by few; and again
// after, since an edge that went through a barrier may be implied by one that didn't.
void reduce_to_steps(std::vector<Item>& items, Predecessors& waits) {
  reduce(waits);
  if (std::ranges::none_of(items, &Item::vanishes)) return;
  pass_through_vanishing(items, waits);
  drop_vanishing(items, waits);
  reduce(waits);
}

void place_barriers(Plan& plan) {
  plan.barriers = 0;
  std::uint32_t group_begin = 0;
  for (std::uint32_t i = 0; i < plan.steps.size(); ++i) {
    Step& step = plan.steps[i];
    // Enough for waits further back too: whoever stands between waits for the group itself.
    step.barrier_before = std::ranges::any_of(step.waits, [&](auto p) { return p >= group_begin; });
    if (!step.barrier_before) continue;
    group_begin = i;
    ++plan.barriers;
  }
}

}  // namespace

Plan make_plan(const Graph& graph, const PlanOptions& options) {
  Flattener flat;
  flat.add(graph, std::nullopt, Scope());
  std::vector<Item>& items = flat.items;
  Predecessors waits = order_needed(items, options.relax_order);
  reduce_to_steps(items, waits);

  const std::vector<std::uint32_t> depth = depths(waits);
  std::vector<std::uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  if (options.reorder) std::ranges::stable_sort(order, {}, [&](auto i) { return depth[i]; });
  std::vector<std::uint32_t> place(items.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;

  Plan plan;
  plan.steps.reserve(items.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    Item& item = items[order[i]];
    Step step{{std::move(item.command), std::move(item.payload)},
              item.node,
              depth[order[i]],
              false,
              std::move(waits[order[i]])};
    for (std::uint32_t& p : step.waits) p = place[p];
    std::ranges::sort(step.waits);
    plan.steps.push_back(std::move(step));
    plan.reordered += order[i] != i;
  }
  place_barriers(plan);
  return plan;
}

Plan part_of(const Plan& plan, std::uint32_t first, std::uint32_t last) {
  Plan part;
  part.steps.assign(plan.steps.begin() + first, plan.steps.begin() + last);
  for (Step& step : part.steps) {
    std::erase_if(step.waits, [&](std::uint32_t before) { return before < first; });
    for (std::uint32_t& before : step.waits) before -= first;
  }
  place_barriers(part);
  return part;
}

}  // namespace reel
