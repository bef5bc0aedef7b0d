#include "reel/graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "graph/commands/access.hpp"
#include "graph/commands/describe.hpp"
#include "graph/commands/dispatch_command.hpp"
#include "graph/commands/kept_values.hpp"
#include "graph/commands/resource.hpp"
#include "graph/node_payload.hpp"
#include "graph/order/validate.hpp"

namespace reel {
namespace {

void keep_alive(NodePayload& payload, const Work& work) {
  if (const auto* dispatch = std::get_if<Dispatch>(&work))
    payload.kernel = dispatch->kernel->shared_from_this();
  const auto keep = [&](const BufferRange& range, Access) {
    const auto is_this = [&](const auto& kept) { return kept.get() == range.buffer; };
    if (std::ranges::none_of(payload.buffers, is_this))
      payload.buffers.push_back(range.buffer->shared_from_this());
  };
  for_each_range(work, keep);
  if (const auto* dispatch = std::get_if<Dispatch>(&work))
    for (const Argument& a : dispatch->arguments)
      if (a.kind == ArgumentKind::image) keep(a.range, a.access);
}

// Moves what the command borrows into the payload, and makes it point there.
void take_over(Command& command, NodePayload& payload) {
  if (auto* dispatch = std::get_if<Dispatch>(&command.work)) {
    payload.arguments.assign(dispatch->arguments.begin(), dispatch->arguments.end());
    keep_values(payload.data, payload.arguments);
    dispatch->arguments = payload.arguments;
    if (command.label.empty()) command.label = dispatch->kernel->source.name;
  }
  if (auto* read = std::get_if<Read>(&command.work); read && payload.decision) {
    payload.data.resize(sizeof(std::uint32_t));  // a place for it, so that it is as other reads are
    read->target = payload.data;
  }
  if (auto* write = std::get_if<Write>(&command.work)) {
    payload.data.assign(write->data.begin(), write->data.end());
    write->data = payload.data;
  }
  payload.label = command.label;
  command.label = payload.label;
}

// Sound, and with a group size if it is a dispatch.
Command checked(const Command& command) {
  Command result = with_group_size(command);
  validate(result);
  return result;
}

}  // namespace

Kernel Node::kernel() const { return make_handle<Kernel>(payload->kernel); }

const Graph* Node::child() const noexcept { return payload->child.get(); }
const Decision* Node::decision() const noexcept { return payload->decision.get(); }

NodeId Graph::add(const Command& command, const std::vector<NodeId>& after, EdgeKind kind) {
  return add_node(checked(command), std::make_shared<NodePayload>(), after, kind);
}

void Graph::replace(NodeId id, const Command& command) {
  const Node& old = node(id);
  if (old.is_child() || old.decides())
    fail(Code::invalid_argument, "{} {} and can't be replaced by a command.", describe(id),
         old.is_child() ? "is a child graph" : "decides");
  auto payload = std::make_shared<NodePayload>();
  Node next{checked(command), payload};
  keep_alive(*payload, next.command.work);
  take_over(next.command, *payload);
  set_node(id, std::move(next));
}

// What goes through a graph goes through its children by calls within calls, and through each as
// often as it stands there: a few lines can ask for any number of nodes.
void Graph::check_inner(const Graph& child) {
  if (child.all_nodes() > max_inner_nodes)
    fail(Code::invalid_argument,
         "A graph of {} nodes, those of graphs in it counted each time, can't be in another: it "
         "may have at most {}.",
         child.all_nodes(), max_inner_nodes);
  if (child.depth_ >= max_depth)
    fail(Code::invalid_argument,
         "A graph that holds graphs {} deep can't be a child: at most {} may be within each other.",
         child.depth_, max_depth);
}

std::uint64_t Graph::nodes_in(const Node& node) {
  if (const Graph* child = node.child()) return child->all_nodes();
  std::uint64_t count = 0;
  if (const Decision* decision = node.decision())
    for (const auto& branch : decision->branches) count += branch->all_nodes();
  return count;
}

void Graph::set_node(NodeId id, Node next) {
  Node& node = nodes_[index_of(id)];
  inner_nodes_ = inner_nodes_ - nodes_in(node) + nodes_in(next);
  node = std::move(next);
}

void Graph::replace(NodeId id, const Graph& child) {
  check_inner(child);
  const Node& old = node(id);
  if (!old.is_child())
    fail(Code::invalid_argument, "{} is a command and can't be replaced by a child graph.",
         describe(id));
  auto payload = std::make_shared<NodePayload>();
  payload->label = old.payload->label;
  payload->child = std::make_shared<const Graph>(child);
  Node next{old.command, payload};
  next.command.label = payload->label;
  set_node(id, std::move(next));
  depth_ = std::max(depth_, child.depth_ + 1);
}

NodeId Graph::add_node(const Command& command, std::shared_ptr<NodePayload> payload,
                       const std::vector<NodeId>& after, EdgeKind kind) {
  check_after(after);
  Command own = command;
  keep_alive(*payload, own.work);
  take_over(own, *payload);

  const auto id = static_cast<NodeId>(nodes_.size());
  nodes_.push_back({std::move(own), std::move(payload)});
  inner_nodes_ += nodes_in(nodes_.back());
  last_in_.push_back(no_edge);
  // Named twice is meant once: a stream that waits for an event of its own last command does it.
  std::vector<NodeId> before = after;
  std::ranges::sort(before);
  before.erase(std::unique(before.begin(), before.end()), before.end());
  for (const NodeId from : before) add_edge({from, id, kind});
  return id;
}

NodeId Graph::add_dispatch(const Kernel& kernel, const Launch& launch,
                           std::span<const Argument> arguments, const NodeOptions& options) {
  Command command = dispatch_command(kernel, launch, arguments);
  if (!options.label.empty()) command.label = options.label;
  command.scope = options.scope;
  return add(command, options.after);
}

NodeId Graph::add_copy(BufferRange target, BufferRange source, const NodeOptions& options) {
  return add({Copy{target, source}, options.label, options.scope}, options.after);
}

NodeId Graph::add_copy_2d(const Pitched& target, const Pitched& source, std::uint64_t width_bytes,
                          std::uint64_t rows, const NodeOptions& options) {
  const std::vector<Copy> copies = row_copies(target, source, width_bytes, rows);
  if (copies.size() == 1) return add({copies[0], options.label, options.scope}, options.after);
  Graph child;
  for (const Copy& row : copies) child.add({row, options.label, options.scope});
  return add_child(child, options);
}

NodeId Graph::add_write(BufferRange target, std::span<const std::byte> data,
                        const NodeOptions& options) {
  return add({Write{target, data}, options.label, options.scope}, options.after);
}

NodeId Graph::add_read(BufferRange source, std::span<std::byte> target,
                       const NodeOptions& options) {
  return add({Read{source, target}, options.label, options.scope}, options.after);
}

NodeId Graph::add_host_call(std::function<void()> function, const NodeOptions& options) {
  HostCall call{std::make_shared<const std::function<void()>>(std::move(function))};
  return add({std::move(call), options.label, options.scope}, options.after);
}

NodeId Graph::add_barrier(const NodeOptions& options) {
  return add({Barrier{}, options.label, options.scope}, options.after);
}

NodeId Graph::add_child(const Graph& child, const NodeOptions& options, EdgeKind kind) {
  check_inner(child);
  auto payload = std::make_shared<NodePayload>();
  payload->child = std::make_shared<const Graph>(child);
  const NodeId id =
      add_node({Barrier{}, options.label, options.scope}, std::move(payload), options.after, kind);
  depth_ = std::max(depth_, child.depth_ + 1);
  return id;
}

const Node& Graph::node(NodeId id) const {
  if (index_of(id) >= nodes_.size())
    fail(Code::invalid_argument, "There is no node n{}: the graph has {} nodes.", index_of(id),
         nodes_.size());
  return nodes_[index_of(id)];
}

std::string Graph::describe(NodeId id) const {
  const Node& node = this->node(id);
  std::string text = fmt::format("n{}", index_of(id));
  if (!node.command.label.empty()) text += fmt::format(" '{}'", node.command.label);
  if (node.is_child()) return text + fmt::format(" (graph of {})", node.child()->node_count());
  if (node.decides()) return text + fmt::format(" ({})", reel::describe(*node.decision()));
  text += fmt::format(" ({}", kind_name(node.command.work));
  if (node.payload->kernel && node.payload->kernel->source.name != node.command.label)
    text += " " + node.payload->kernel->source.name;
  return text + ")";
}

std::string to_string(const Graph& graph) {
  const auto counted = [](std::size_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  return fmt::format("Graph({}, {})", counted(graph.node_count(), "node", "nodes"),
                     counted(graph.dependencies().size(), "dependency", "dependencies"));
}

}  // namespace reel
