#include <algorithm>
#include <functional>
#include <queue>

#include "base/fail.hpp"
#include "graph/order/precedence.hpp"
#include "reel/graph.hpp"

namespace reel {
namespace {

// A graph's edges between places in its topological order.
struct Ordered {
  std::vector<NodeId> order;
  std::vector<std::uint32_t> place;  // by node
  std::vector<Edge> edges;
  Predecessors waits;

  explicit Ordered(const Graph& graph)
      : order(graph.topological_order()),
        place(graph.node_count()),
        edges(graph.edges()),
        waits(graph.node_count()) {
    for (std::uint32_t i = 0; i < order.size(); ++i) place[index_of(order[i])] = i;
    for (const Edge& e : edges) waits[place[index_of(e.to)]].push_back(place[index_of(e.from)]);
    for (auto& list : waits) std::ranges::sort(list);
  }
};

}  // namespace

std::vector<Edge> Graph::edges() const {
  std::vector<Edge> all = edges_;
  const std::vector<Edge> inferred = hazards();
  all.insert(all.end(), inferred.begin(), inferred.end());
  return all;
}

std::vector<Edge> Graph::reduced_edges() const {
  Ordered ordered(*this);
  reduce(ordered.waits);
  std::erase_if(ordered.edges, [&](const Edge& e) {
    return !std::ranges::binary_search(ordered.waits[ordered.place[index_of(e.to)]],
                                       ordered.place[index_of(e.from)]);
  });
  return std::move(ordered.edges);
}

std::vector<NodeId> Graph::topological_order() const {
  std::vector<NodeId> order;
  order.reserve(nodes_.size());
  if (!goes_back_) {  // then the order of adding is one, and no other is more stable
    for (std::size_t i = 0; i < nodes_.size(); ++i) order.push_back(static_cast<NodeId>(i));
    return order;
  }
  std::vector<std::vector<NodeId>> next(nodes_.size());
  std::vector<std::size_t> waits(nodes_.size(), 0);
  for (const Edge& e : edges_) {
    next[index_of(e.from)].push_back(e.to);
    ++waits[index_of(e.to)];
  }
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (waits[i] == 0) ready.push(static_cast<NodeId>(i));
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const NodeId to : next[index_of(order.back())])
      if (--waits[index_of(to)] == 0) ready.push(to);
  }
  return order;
}

std::vector<std::vector<NodeId>> Graph::levels() const {
  const Ordered ordered(*this);
  const std::vector<std::uint32_t> depth = depths(ordered.waits);
  std::vector<std::vector<NodeId>> result;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (depth[i] >= result.size()) result.resize(depth[i] + 1);
    result[depth[i]].push_back(ordered.order[i]);
  }
  for (auto& level : result) std::ranges::sort(level);
  return result;
}

CriticalPath Graph::critical_path(const std::function<double(NodeId)>& cost) const {
  if (nodes_.empty()) return {};
  const Ordered ordered(*this);
  std::vector<double> until(nodes_.size());             // the longest way that ends here
  std::vector<std::uint32_t> came_from(nodes_.size());  // itself: starts here
  for (std::uint32_t i = 0; i < until.size(); ++i) {
    const double own = cost ? cost(ordered.order[i]) : 1;
    if (!(own >= 0))
      fail(Code::invalid_argument, "The cost of {} is {}; a cost can't be less than 0.",
           describe(ordered.order[i]), own);
    came_from[i] = i;
    for (const std::uint32_t p : ordered.waits[i])
      if (until[p] > until[i] || came_from[i] == i) {
        until[i] = until[p];
        came_from[i] = p;
      }
    until[i] += own;
  }
  auto at = static_cast<std::uint32_t>(std::ranges::max_element(until) - until.begin());
  CriticalPath path{.nodes = {}, .length = until[at]};
  for (;; at = came_from[at]) {
    path.nodes.push_back(ordered.order[at]);
    if (came_from[at] == at) break;
  }
  std::ranges::reverse(path.nodes);
  return path;
}

}  // namespace reel
