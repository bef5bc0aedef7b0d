// random_graph.hpp - graphs of every shape from a seed, and the order they need, told the slow way.
#pragma once

#include <bitset>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph/commands/access.hpp"
#include "graph/fixtures.hpp"

namespace reel::test {

class RandomGraphs {
 public:
  explicit RandomGraphs(unsigned seed) : random_(seed) {
    for (const char* label : {"x", "y", "z"}) buffers_.push_back(make_buffer(label, 32));
  }

  Graph make(std::size_t nodes, int depth = 2) {
    Graph graph;
    for (std::size_t i = 0; i < nodes; ++i) add_node(graph, depth);
    for (std::size_t i = 0; i < nodes / 3; ++i) {
      try {
        graph.add_dependency(some_node(graph), some_node(graph));
      } catch (const Error&) {  // a cycle, a duplicate or itself: then one less
      }
    }
    return graph;
  }

  Command make_work() {
    switch (below(8)) {
      case 0:
        return {Fill{range(0), 0, 1}};
      case 1: {
        const std::uint64_t size = below(17);
        return {Copy{some_buffer().range(below(17 - size), size),
                     some_buffer().range(16 + below(17 - size), size)}};
      }
      default: {
        arguments_.clear();
        for (std::size_t i = below(4); i-- > 0;)
          arguments_.push_back(Bound{range(1), static_cast<Access>(1 + below(3))});
        return {Dispatch{kernel_, {}, {64}, arguments_}};
      }
    }
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  void add_node(Graph& graph, int depth) {
    std::vector<NodeId> after;
    for (std::size_t i = below(3); i-- > 0 && !graph.empty();) after.push_back(some_node(graph));
    const EdgeKind kind = below(2) ? EdgeKind::stream : EdgeKind::asked;
    const std::string label = "c" + std::to_string(count_++);
    const std::size_t choice = below(24);
    if (choice == 0) {
      graph.add_host_call([] {}, {.label = label, .after = after});
    } else if (choice <= 2) {
      graph.add({Barrier{}, label}, after, kind);
    } else if (choice <= 4 && depth > 0) {
      graph.add_child(make(below(5), depth - 1), {.label = label, .after = after});
    } else {
      Command command = make_work();
      command.label = label;
      graph.add(command, after, kind);
    }
  }
  const Buffer& some_buffer() { return buffers_[below(buffers_.size())]; }
  BufferRange range(std::size_t least_bytes) {
    const std::size_t begin = below(33 - least_bytes);
    return some_buffer().range(begin, least_bytes + below(33 - least_bytes - begin));
  }
  NodeId some_node(const Graph& graph) { return static_cast<NodeId>(below(graph.node_count())); }

  std::mt19937 random_;
  std::vector<Buffer> buffers_;
  Kernel kernel_ = make_kernel("k");
  std::vector<Argument> arguments_;
  std::size_t count_ = 0;
};

// [i][j]: i comes before j.
class Relation {
 public:
  explicit Relation(std::size_t count) : rows_(count) {
    if (count > most) throw std::length_error("a random graph came out larger than expected");
  }
  void add(std::size_t i, std::size_t j) { rows_[i][j] = true; }
  bool operator()(std::size_t i, std::size_t j) const { return rows_[i][j]; }
  void close() {
    for (std::size_t k = 0; k < rows_.size(); ++k)
      for (auto& row : rows_)
        if (row[k]) row |= rows_[k];
  }
  friend bool operator==(const Relation&, const Relation&) = default;

 private:
  static constexpr std::size_t most = 512;
  std::vector<std::bitset<most>> rows_;
};

inline Relation closure(std::size_t count, std::span<const Edge> edges) {
  Relation relation(count);
  for (const Edge& e : edges) relation.add(index_of(e.from), index_of(e.to));
  relation.close();
  return relation;
}

// What a node touches, byte by byte.
struct Touches {
  std::vector<std::pair<BufferRange, Access>> list;
  bool fence = false;
};

inline Touches touches(const Graph& graph, NodeId id) {
  Touches result;
  const Node& n = graph.node(id);
  if (n.is_child()) {
    for (std::size_t i = 0; i < n.child()->node_count(); ++i) {
      const Touches inner = touches(*n.child(), node(i));
      result.list.insert(result.list.end(), inner.list.begin(), inner.list.end());
      result.fence = result.fence || inner.fence;
    }
    return result;
  }
  for_each_access(n.command.work, [&](const BufferRange& range, Access access) {
    result.list.emplace_back(range, access);
  });
  result.fence = orders_everything(n.command.work);
  if (std::holds_alternative<Barrier>(n.command.work))
    for (const Edge& e : graph.dependencies())
      if (e.to == id && e.kind == EdgeKind::asked) result.fence = false;
  return result;
}

inline std::vector<Touches> touches(const Graph& graph) {
  std::vector<Touches> result;
  for (std::size_t i = 0; i < graph.node_count(); ++i) result.push_back(touches(graph, node(i)));
  return result;
}

inline bool conflict(const Touches& a, const Touches& b) {
  if (a.fence || b.fence) return true;
  for (const auto& [r, ra] : a.list)
    for (const auto& [s, sa] : b.list)
      if (r.buffer == s.buffer && (writes(ra) || writes(sa)))
        for (std::uint64_t i = r.offset_bytes; i < r.offset_bytes + r.size_bytes; ++i)
          if (s.offset_bytes <= i && i < s.offset_bytes + s.size_bytes) return true;
  return false;
}

}  // namespace reel::test
