// node_uses.hpp - what each node of a graph touches, whole child graphs included.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "graph/order/hazard_map.hpp"
#include "reel/graph.hpp"

namespace reel {

struct NodeUses {
  std::vector<Use> uses;
  bool fence = false;  // ordered against everything
};

// Remembers child graphs, which a graph may hold a hundred times over. For one graph that
// doesn't change meanwhile.
class NodeUsesFinder {
 public:
  explicit NodeUsesFinder(const Graph& graph);
  // The uses stay valid until the next call.
  const NodeUses& of(NodeId id);

 private:
  const NodeUses& of_child(const std::shared_ptr<const Graph>& child);

  const Graph& graph_;
  std::vector<bool> waits_as_asked_;  // by node: some edge in was asked for
  NodeUses own_;
  std::unordered_map<const Graph*, NodeUses> children_;
};

}  // namespace reel
