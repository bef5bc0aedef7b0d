// graph.hpp - commands as nodes, and what must come before what. Pure data, no device.
//
// A Graph holds copies of all it needs (arguments, written bytes, labels) and keeps the buffers
// and kernels it names alive. Copying it is cheap: nodes are immutable and shared. Not safe to
// change from two threads at once.
//
// Order has three sources, kept apart by EdgeKind: dependencies that were asked for, the
// order of a captured stream, and hazards inferred from the byte ranges that nodes read and
// write (read after write, write after read, write after write; two reads never conflict).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reel/command.hpp"
#include "reel/decision.hpp"
#include "reel/ids.hpp"

namespace reel {

class Device;
class Graph;
class GraphExec;
struct InstantiateOptions;

enum class EdgeKind : std::uint8_t {  // where an edge comes from
  asked,                              // add_dependency, or NodeOptions::after
  stream,  // the order in which a captured stream got them; may be relaxed when instantiating
  hazard,  // inferred from byte ranges
};
const char* to_string(EdgeKind kind) noexcept;

struct Edge {       // one node before another
  NodeId from, to;  // `from` is done before `to` starts
  EdgeKind kind = EdgeKind::asked;
  friend bool operator==(const Edge&, const Edge&) = default;
};

struct NodePayload;

struct Node {  // a command, graph or decision
  Command command;
  std::shared_ptr<const NodePayload> payload;  // what the command points into, kept alive

  Kernel kernel() const;                // of a dispatch, else empty
  const Graph* child() const noexcept;  // a whole graph as this node, whose work is then a Barrier
  bool is_child() const noexcept { return child() != nullptr; }  // a graph in it
  // What this node decides, else null; its work is then a Read of its condition, or a Barrier if it
  // reads none.
  const Decision* decision() const noexcept;
  bool decides() const noexcept { return decision() != nullptr; }  // if, while, switch, repeat
};

struct NodeOptions {  // a command, graph or decision
  std::string_view label = {};
  Scope scope = {};
  std::vector<NodeId> after = {};
};

struct SaveOptions {       // of save()
  bool overwrite = false;  // an existing file is otherwise an error
};

struct CriticalPath {         // the longest chain
  std::vector<NodeId> nodes;  // in order
  double length = 0;
};

// One way in which two graphs, or two nodes of the same place, differ.
struct GraphDifference {
  std::optional<NodeId> node;  // none: the graphs as a whole
  std::string field;  // "node_count", "edges", "kind", "kernel", "groups", "argument 2", …
  std::string before, after;
};

// A buffer that a graph names.
struct GraphBuffer {
  std::string name;  // its label, or where that is empty or shared, "buffer 3", "x#2"
  std::uint64_t size_bytes = 0;
  bool is_input = false;   // some byte is read before the graph writes it
  bool is_output = false;  // written by the graph
};

class Graph {
 public:
  // Of graphs within graphs; a file holds 64 of them (save()).
  static constexpr std::uint32_t max_depth = 256;
  // Of a graph in another, those of graphs in it counted each time.
  static constexpr std::uint64_t max_inner_nodes = std::uint64_t{1} << 24;

  Graph() = default;

  // --- building; each returns the id of the new node -------------------------------------------
  NodeId add(const Command& command, const std::vector<NodeId>& after = {},
             EdgeKind kind = EdgeKind::asked);
  template <ArgumentLike... A>
  NodeId add_dispatch(const Kernel& kernel, const Launch& launch, const A&... arguments) {
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    return add_dispatch(kernel, launch, std::span<const Argument>(list));
  }
  // With label, scope or `after` for the node, before the kernel's arguments.
  template <ArgumentLike... A>
  NodeId add_dispatch(const Kernel& kernel, const Launch& launch, const NodeOptions& options,
                      const A&... arguments) {
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    return add_dispatch(kernel, launch, std::span<const Argument>(list), options);
  }
  NodeId add_dispatch(const Kernel& kernel, const Launch& launch,
                      std::span<const Argument> arguments, const NodeOptions& options = {});
  // From range to range; they have the same size.
  NodeId add_copy(BufferRange target, BufferRange source, const NodeOptions& options = {});
  // A child graph of the rows that Stream::copy_2d copies, or one copy.
  NodeId add_copy_2d(const Pitched& target, const Pitched& source, std::uint64_t width_bytes,
                     std::uint64_t rows, const NodeOptions& options = {});
  // The bytes of the value (1, 2 or 4), repeated.
  template <FillValue T>
  NodeId add_fill(BufferRange target, T value, const NodeOptions& options = {}) {
    return add({Fill::of(target, value), options.label, options.scope}, options.after);
  }
  NodeId add_write(BufferRange target, std::span<const std::byte> data,
                   const NodeOptions& options = {});  // a node that writes
  // The target must live as long as launches may run.
  NodeId add_read(BufferRange source, std::span<std::byte> target, const NodeOptions& options = {});
  template <HostValues R>
  NodeId add_write(BufferRange target, const R& data, const NodeOptions& options = {}) {
    return add_write(target, host_bytes(data), options);
  }
  template <HostTarget R>
  NodeId add_read(BufferRange source, R&& target, const NodeOptions& options = {}) {
    return add_read(source, host_target(target), options);
  }
  // A function, called on a thread of the library.
  NodeId add_host_call(std::function<void()> function, const NodeOptions& options = {});
  // Waits for `after` only. A barrier with an empty `after` is a full fence: after every node
  // before it, before every node after it. So are host calls, which may do anything.
  NodeId add_barrier(const NodeOptions& options = {});
  NodeId add_child(const Graph& child, const NodeOptions& options = {},
                   EdgeKind kind = EdgeKind::asked);  // at most max_depth deep

  // --- decisions: graphs that run as a condition says when the launch gets there ----------------
  // Order counts everything that any branch touches. Graphs are copied, as those of add_child().
  NodeId add_if(const Condition& condition, const Graph& then, const NodeOptions& options = {});
  NodeId add_if(const Condition& condition, const Graph& then, const Graph& otherwise,
                const NodeOptions& options = {});
  // As long as the condition isn't 0; a loop that reaches a limit is an error of the launch.
  NodeId add_while(const Condition& condition, const Graph& body, const NodeOptions& options = {},
                   const LoopLimits& limits = {});
  // The branch that the condition numbers, from 0; a condition that numbers none is an error.
  NodeId add_switch(const Condition& condition, std::span<const Graph> branches,
                    const NodeOptions& options = {});
  // The body, so many times.
  NodeId add_repeat(std::uint64_t count, const Graph& body, const NodeOptions& options = {});
  NodeId add_decision(const Decision& decision, const BufferRange& condition,
                      const NodeOptions& options = {});  // any of them

  // Memory for what a launch needs only while it runs, of no device: nodes name it as they name a
  // buffer, and each exec has its own. Those that are never in use at the same time share bytes, so
  // every byte must be written before it is read.
  static Buffer temporary(std::uint64_t size_bytes, std::string_view label = {});

  // The node does this from now on; its dependencies stay.
  void replace(NodeId id, const Command& command);
  void replace(NodeId id, const Graph& child);  // of a child node
  // Of a node that decides.
  void replace(NodeId id, const Decision& decision, const BufferRange& condition);

  // Out of range, self, duplicate or a cycle: an Error that names the nodes.
  void add_dependency(NodeId from, NodeId to);
  // Many at once, asked or stream: all or, where one of them is wrong, none. In one pass over the
  // graph, where add_dependency() may need one for each.
  void add_dependencies(std::span<const Edge> edges);

  // --- looking -----------------------------------------------------------------------------------
  std::size_t node_count() const noexcept { return nodes_.size(); }
  bool empty() const noexcept { return nodes_.empty(); }
  const Node& node(NodeId id) const;                                      // by its id
  std::span<const Node> nodes() const noexcept { return nodes_; }         // all
  std::span<const Edge> dependencies() const noexcept { return edges_; }  // asked and stream
  // "n3 'q_proj' (dispatch matmul)": how errors and pictures name a node.
  std::string describe(NodeId id) const;

  // Hazards, in topological order where dependencies() leave two nodes unordered. Pairs that
  // dependencies() name are left out, and so is what other hazards imply for the same bytes.
  std::vector<Edge> hazards() const;
  // dependencies() and hazards() together, each pair once.
  std::vector<Edge> edges() const;
  // The same order with every edge left out that others imply.
  std::vector<Edge> reduced_edges() const;
  // Stable: among ready nodes, the one added first.
  std::vector<NodeId> topological_order() const;
  // Nodes of a level need only nodes of earlier levels.
  std::vector<std::vector<NodeId>> levels() const;
  CriticalPath critical_path(const std::function<double(NodeId)>& cost = {}) const;  // default 1

  // In order of first use, those of child graphs too.
  std::vector<GraphBuffer> buffers() const;

  // --- files -------------------------------------------------------------------------------------
  // What another process needs to launch the graph with buffers of its own: nodes, order, kernels
  // in all their forms, names and sizes of buffers. No contents but the bytes of write nodes.
  // Host calls and reads can't be saved, nor kernels that are nothing but a C++ function where
  // find_host_kernel() finds another one by the kernel's name.
  void save(const std::string& path, const SaveOptions& options = {}) const;
  // Buffers and kernels of the result belong to no device. instantiate() builds the kernels, and
  // gives each buffer what InstantiateOptions::buffers names for it, else zeroed memory.
  static Graph load(const std::string& path);
  // The bytes of such a file. They may go when this returns.
  static Graph load(std::span<const std::byte> file);

  std::string to_dot() const;   // for Graphviz
  std::string to_json() const;  // to look at

  // Same nodes, arguments and dependencies (labels count, addresses of host memory don't).
  friend bool operator==(const Graph& a, const Graph& b);
  // Empty when equal. Nodes are compared by their place.
  static std::vector<GraphDifference> diff(const Graph& before, const Graph& after);

  // Validates and lowers for a device. Kernels of another device are built again from source.
  GraphExec instantiate(const Device& device) const;
  GraphExec instantiate(const Device& device, const InstantiateOptions& options) const;

 private:
  NodeId add_node(const Command& command, std::shared_ptr<NodePayload> payload,
                  const std::vector<NodeId>& after, EdgeKind kind);
  void add_edge(const Edge& edge);
  void check_after(const std::vector<NodeId>& after) const;
  static void check_inner(const Graph& child);
  static std::uint64_t nodes_in(const Node& node);
  std::uint64_t all_nodes() const noexcept { return nodes_.size() + inner_nodes_; }
  void set_node(NodeId id, Node next);
  std::vector<NodeId> path(NodeId from, NodeId to) const;

  static constexpr std::uint32_t no_edge = ~std::uint32_t{0};
  std::uint32_t depth_ = 1;        // with the deepest child that it ever had
  std::uint64_t inner_nodes_ = 0;  // of graphs in it, each time
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  // By node, its latest edge in; by edge, the one before it into the same node.
  std::vector<std::uint32_t> last_in_, previous_in_;
  bool goes_back_ = false;  // some edge leads to a node added earlier; only then can cycles be
};

// "Graph(12 nodes, 11 dependencies)"
std::string to_string(const Graph& graph);

}  // namespace reel
