// graph_exec_update.cpp - GraphExec::update: take over the parameters of a graph of the same
// topology, or say why not.
#include <algorithm>

#include "graph/resource.hpp"
#include "graph/validate.hpp"
#include "runtime/check.hpp"
#include "runtime/graph_exec_state.hpp"

namespace reel {

namespace {

// Edges by their ends only: what matters is order, not who asked for it.
std::vector<std::pair<NodeId, NodeId>> order_of(const Graph& graph) {
  std::vector<std::pair<NodeId, NodeId>> pairs;
  for (const Edge& edge : graph.edges()) pairs.emplace_back(edge.from, edge.to);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// Fields that are part of what was lowered. Everything else is a parameter.
bool is_structural(const GraphDifference& difference) {
  const std::string& field = difference.field;
  return field == "node_count" || field == "edges" || field == "kind" || field == "kernel" ||
         field == "group_size" || field == "child" || field == "argument_count" ||
         field == "indirect";
}

// Argument by argument: same kind, and values of the same size.
std::optional<GraphDifference> argument_obstacle(NodeId node, const Dispatch& before,
                                                 const Dispatch& after) {
  for (std::size_t i = 0; i < before.arguments.size(); ++i) {
    const Argument &a = before.arguments[i], &b = after.arguments[i];
    const std::string field = "argument " + std::to_string(i);
    if (a.kind != b.kind) return GraphDifference{node, field, to_string(a.kind), to_string(b.kind)};
    if (a.kind == ParameterKind::value && a.value_bytes != b.value_bytes)
      return GraphDifference{node, field, std::to_string(a.value_bytes) + " bytes",
                             std::to_string(b.value_bytes) + " bytes"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<GraphDifference> GraphExecState::first_obstacle(const Graph& next) const {
  const Graph& now = graph();
  for (GraphDifference& difference : Graph::diff(now, next))
    if (is_structural(difference)) return std::move(difference);
  if (order_of(now) != order_of(next))
    return GraphDifference{std::nullopt, "edges", "order inferred from the present ranges",
                           "another order, since other ranges conflict"};
  for (std::size_t i = 0; i < now.node_count(); ++i) {
    const NodeId node{static_cast<std::uint32_t>(i)};
    const auto* before = std::get_if<Dispatch>(&now.node(node).command.work);
    const auto* after = std::get_if<Dispatch>(&next.node(node).command.work);
    if (!before || !after) continue;
    if (auto obstacle = argument_obstacle(node, *before, *after)) return obstacle;
  }
  return std::nullopt;
}

void GraphExecState::take_over(std::uint32_t step, const Command& next) {
  Parameters& p = steps_[step];
  if (const auto* dispatch = std::get_if<Dispatch>(&next.work)) {
    auto& mine = std::get<Dispatch>(p.command.work);
    if (mine.groups != dispatch->groups) executable_->set_groups(step, dispatch->groups);
    mine.groups = dispatch->groups;
    for (std::uint32_t i = 0; i < p.arguments.size(); ++i) {
      const Argument& value = dispatch->arguments[i];
      if (p.arguments[i] == value) continue;
      if (value.kind == ParameterKind::buffer) keep(value.range);
      executable_->set_argument(step, i, value);
      p.arguments[i] = value;
    }
    return;
  }
  p.command.work = next.work;
  if (auto* write = std::get_if<Write>(&p.command.work)) {
    p.data.assign(write->data.begin(), write->data.end());
    write->data = p.data;
  }
  std::visit(overloaded{[&](const Copy& c) {
                          keep(c.source);
                          keep(c.target);
                        },
                        [&](const Fill& f) { keep(f.target); },
                        [&](const Write& w) { keep(w.target); },
                        [&](const Read& r) { keep(r.source); }, [](const auto&) {}},
             p.command.work);
  executable_->replace(step, p.command);
}

std::optional<GraphDifference> GraphExecState::update(const Graph& next) {
  if (auto obstacle = first_obstacle(next)) return obstacle;
  for (const Step& step : plan_->steps) {  // all checks before any change
    if (graph_.node(step.node).is_child()) continue;
    const Command& command = next.node(step.node).command;
    validate(command);
    Command for_device = command;
    // The kernel was found equal; ours may be the same source built for this device.
    if (auto* dispatch = std::get_if<Dispatch>(&for_device.work))
      dispatch->kernel = std::get<Dispatch>(step.command.work).kernel;
    check_for_device(for_device, *device);
  }
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    const NodeId node = plan_->steps[i].node;
    if (!graph_.node(node).is_child()) take_over(i, next.node(node).command);
  }
  count_uses();
  graph_ = next;
  for (Parameters& p : steps_) p.changed = false;
  graph_is_stale_ = false;
  return std::nullopt;
}

}  // namespace reel
