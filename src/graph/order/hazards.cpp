#include <algorithm>

#include "graph/order/hazard_map.hpp"
#include "graph/order/node_uses.hpp"
#include "graph/order/precedence.hpp"
#include "reel/graph.hpp"

namespace reel {

std::vector<Edge> Graph::hazards() const {
  std::vector<Edge> result;
  NodeUsesFinder finder(*this);
  HazardMap map;
  const std::vector<NodeId> order = topological_order();
  std::vector<bool> named(nodes_.size());  // by dependencies() as coming before the node at hand
  for (const NodeId to : order) {
    const NodeUses& node = finder.of(to);
    const auto name_dependencies = [&](bool value) {
      for (auto e = last_in_[index_of(to)]; e != no_edge; e = previous_in_[e])
        named[index_of(edges_[e].from)] = value;
    };
    name_dependencies(true);
    for (const std::uint32_t place : map.next(node.uses, node.fence))
      if (const NodeId from = order[place]; !named[index_of(from)])
        result.push_back({from, to, EdgeKind::hazard});
    name_dependencies(false);
  }
  return result;
}

}  // namespace reel
