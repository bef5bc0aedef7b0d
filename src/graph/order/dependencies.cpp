#include <algorithm>
#include <limits>

#include "base/fail.hpp"
#include "reel/graph.hpp"

namespace reel {
namespace {

constexpr auto no_node = NodeId{std::numeric_limits<std::uint32_t>::max()};

std::string name_of(const Graph& graph, NodeId id) {
  const std::string_view label = graph.node(id).command.label;
  return label.empty() ? fmt::format("n{}", index_of(id))
                       : fmt::format("n{} '{}'", index_of(id), label);
}

// "n2 'norm' → n5 'q_proj' → n7 'add' → n2"; a long way is cut in its middle.
std::string cycle_text(const Graph& graph, const std::vector<NodeId>& path) {
  constexpr std::size_t shown_at_each_end = 4;
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i == shown_at_each_end && path.size() > 2 * shown_at_each_end + 1) {
      const std::size_t left_out = path.size() - 2 * shown_at_each_end;
      text += fmt::format("… {} more … → ", left_out);
      i += left_out;
    }
    text += name_of(graph, path[i]) + " → ";
  }
  return text + fmt::format("n{}", index_of(path.front()));
}

// Nodes that wait for each other in a circle, in order; empty when there are none. `edges` are
// (to, from), sorted.
std::vector<NodeId> cycle_in(const std::vector<std::pair<NodeId, NodeId>>& edges,
                             std::size_t node_count) {
  std::vector<std::uint32_t> waits(node_count, 0);
  std::vector<std::vector<NodeId>> next(node_count);
  for (const auto& [to, from] : edges) {
    ++waits[index_of(to)];
    next[index_of(from)].push_back(to);
  }
  std::vector<NodeId> ready;
  for (std::size_t i = 0; i < node_count; ++i)
    if (waits[i] == 0) ready.push_back(static_cast<NodeId>(i));
  for (std::size_t i = 0; i < ready.size(); ++i)
    for (const NodeId to : next[index_of(ready[i])])
      if (--waits[index_of(to)] == 0) ready.push_back(to);
  if (ready.size() == node_count) return {};

  // Who is left waits for another that is left: going back from one to the next must come round.
  const auto before = [&](NodeId node) {
    const auto first = std::lower_bound(edges.begin(), edges.end(), std::pair(node, NodeId{0}));
    return std::find_if(first, edges.end(),
                        [&](const auto& edge) { return waits[index_of(edge.second)] != 0; })
        ->second;
  };
  const auto left = std::ranges::find_if(waits, [](std::uint32_t count) { return count != 0; });
  auto node = static_cast<NodeId>(left - waits.begin());
  std::vector<bool> seen(node_count, false);
  for (; !seen[index_of(node)]; node = before(node)) seen[index_of(node)] = true;
  std::vector<NodeId> cycle{node};
  for (NodeId n = before(node); n != node; n = before(n)) cycle.push_back(n);
  std::ranges::reverse(cycle);
  return cycle;
}

}  // namespace

void Graph::check_after(const std::vector<NodeId>& after) const {
  for (const NodeId from : after)
    if (index_of(from) >= nodes_.size())
      fail(Code::invalid_argument,
           "The new node n{} can't come after n{}: the graph has {} nodes so far.", nodes_.size(),
           index_of(from), nodes_.size());
}

void Graph::add_edge(const Edge& edge) {
  std::uint32_t& last = last_in_[index_of(edge.to)];
  previous_in_.push_back(last);
  last = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back(edge);
  goes_back_ = goes_back_ || edge.to < edge.from;
}

void Graph::add_dependency(NodeId from, NodeId to) {
  for (const NodeId end : {from, to})
    if (index_of(end) >= nodes_.size())
      fail(Code::invalid_argument,
           "Dependency from n{} to n{} names a node that doesn't exist: the graph has {} nodes.",
           index_of(from), index_of(to), nodes_.size());
  if (from == to)
    fail(Code::invalid_argument, "Dependency from {} to itself: a node can't wait for itself.",
         name_of(*this, from));
  for (auto e = last_in_[index_of(to)]; e != no_edge; e = previous_in_[e])
    if (edges_[e].from == from)
      fail(Code::invalid_argument, "Dependency from {} to {} is there already ({}).",
           name_of(*this, from), name_of(*this, to), to_string(edges_[e].kind));
  // As long as every edge leads to a later node there is no way back, and nothing to search.
  if (goes_back_ || to < from)
    if (const std::vector<NodeId> way = path(to, from); !way.empty())
      fail(Code::invalid_argument, "Dependency from n{} to n{} would close a cycle: {}.",
           index_of(from), index_of(to), cycle_text(*this, way));
  add_edge({from, to, EdgeKind::asked});
}

void Graph::add_dependencies(std::span<const Edge> edges) {
  std::vector<std::pair<NodeId, NodeId>> pairs;  // to, from
  for (const Edge& edge : edges_) pairs.emplace_back(edge.to, edge.from);
  bool goes_back = goes_back_;
  for (const Edge& edge : edges) {
    if (std::max(index_of(edge.from), index_of(edge.to)) >= nodes_.size())
      fail(Code::invalid_argument,
           "Dependency from n{} to n{} names a node that doesn't exist: the graph has {} nodes.",
           index_of(edge.from), index_of(edge.to), nodes_.size());
    if (edge.from == edge.to)
      fail(Code::invalid_argument, "Dependency from {} to itself: a node can't wait for itself.",
           name_of(*this, edge.from));
    if (edge.kind == EdgeKind::hazard)
      fail(Code::invalid_argument,
           "Dependency from {} to {} is a hazard; those are inferred, never added.",
           name_of(*this, edge.from), name_of(*this, edge.to));
    pairs.emplace_back(edge.to, edge.from);
    goes_back = goes_back || edge.to < edge.from;
  }
  std::ranges::sort(pairs);
  if (const auto twice = std::ranges::adjacent_find(pairs); twice != pairs.end())
    fail(Code::invalid_argument, "Dependency from {} to {} is there twice.",
         name_of(*this, twice->second), name_of(*this, twice->first));
  if (goes_back)
    if (const std::vector<NodeId> cycle = cycle_in(pairs, nodes_.size()); !cycle.empty())
      fail(Code::invalid_argument, "Dependencies would close a cycle: {}.",
           cycle_text(*this, cycle));
  for (const Edge& edge : edges) add_edge(edge);
}

// A shortest way along dependencies; empty when there is none.
std::vector<NodeId> Graph::path(NodeId from, NodeId to) const {
  std::vector<NodeId> next(nodes_.size(), no_node);  // towards `to`
  std::vector<NodeId> queue{to};
  next[index_of(to)] = to;
  for (std::size_t i = 0; i < queue.size() && next[index_of(from)] == no_node; ++i)
    for (auto e = last_in_[index_of(queue[i])]; e != no_edge; e = previous_in_[e])
      if (NodeId& seen = next[index_of(edges_[e].from)]; seen == no_node) {
        seen = queue[i];
        queue.push_back(edges_[e].from);
      }
  if (next[index_of(from)] == no_node) return {};
  std::vector<NodeId> way{from};
  while (way.back() != to) way.push_back(next[index_of(way.back())]);
  return way;
}

}  // namespace reel
