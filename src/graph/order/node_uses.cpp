#include "graph/order/node_uses.hpp"

#include "graph/commands/access.hpp"
#include "graph/node_payload.hpp"

namespace reel {

NodeUsesFinder::NodeUsesFinder(const Graph& graph)
    : graph_(graph), waits_as_asked_(graph.node_count()) {
  for (const Edge& edge : graph.dependencies())
    if (edge.kind == EdgeKind::asked) waits_as_asked_[index_of(edge.to)] = true;
}

const NodeUses& NodeUsesFinder::of(NodeId id) {
  const Node& node = graph_.nodes()[index_of(id)];
  if (node.is_child()) return of_child(node.payload->child);
  own_.uses.clear();
  if (node.decides()) {
    own_.fence = node.decision()->predicate != nullptr;
    for (const auto& branch : node.decision()->branches) {
      const NodeUses& inside = of_child(branch);
      own_.uses.insert(own_.uses.end(), inside.uses.begin(), inside.uses.end());
      own_.fence = own_.fence || inside.fence;
    }
    for_each_access(node.command.work, [&](const BufferRange& range, Access access) {
      own_.uses.push_back({range, access});
    });
    return own_;
  }
  for_each_access(node.command.work, [&](const BufferRange& range, Access access) {
    own_.uses.push_back({range, access});
  });
  // A barrier that was told what to wait for joins just that.
  const bool joins =
      std::holds_alternative<Barrier>(node.command.work) && waits_as_asked_[index_of(id)];
  own_.fence = orders_everything(node.command.work) && !joins;
  return own_;
}

const NodeUses& NodeUsesFinder::of_child(const std::shared_ptr<const Graph>& child) {
  const auto [entry, is_new] = children_.try_emplace(child.get());
  NodeUses& all = entry->second;
  if (!is_new) return all;
  NodeUsesFinder inside(*child);
  for (std::size_t i = 0; i < child->node_count(); ++i) {
    const NodeUses& one = inside.of(static_cast<NodeId>(i));
    all.uses.insert(all.uses.end(), one.uses.begin(), one.uses.end());
    all.fence = all.fence || one.fence;
  }
  return all;
}

}  // namespace reel
