// decisions.cpp - the nodes of a Graph that decide.
#include <algorithm>

#include "base/fail.hpp"
#include "graph/commands/describe.hpp"
#include "graph/commands/resource.hpp"
#include "graph/node_payload.hpp"
#include "graph/order/validate.hpp"
#include "reel/graph.hpp"

namespace reel {
namespace {

// "an if", "a while"; "An if" with 'A'.
std::string one(DecisionKind kind, char article = 'a') {
  return fmt::format("{}{} {}", article, kind == DecisionKind::if_else ? "n" : "", to_string(kind));
}

std::shared_ptr<const Graph> copy_of(const Graph& graph) {
  return std::make_shared<const Graph>(graph);
}

void check_branches(const Decision& decision) {
  const std::size_t count = decision.branches.size();
  const bool is_if = decision.kind == DecisionKind::if_else;
  const bool fits = decision.kind == DecisionKind::switch_case ? count > 0
                    : is_if                                    ? count == 1 || count == 2
                                                               : count == 1;
  if (!fits)
    fail(Code::invalid_argument, "{} has {} graphs; it takes {}.", one(decision.kind, 'A'), count,
         decision.kind == DecisionKind::switch_case ? "at least one"
         : is_if                                    ? "one or two"
                                                    : "one");
  if (std::ranges::any_of(decision.branches, [](const auto& branch) { return !branch; }))
    fail(Code::invalid_argument, "{} is given a graph that is null.", one(decision.kind, 'A'));
}

// The command of the node: what the condition is read by, or nothing but its place.
Command condition_command(const Decision& decision, const BufferRange& range,
                          const Command& texts) {
  Command command{Barrier{}, texts.label, texts.scope};
  if (decision.kind == DecisionKind::repeat || decision.predicate) {
    if (decision.predicate && !*decision.predicate)
      fail(Code::invalid_argument, "The function that {} asks is empty.", one(decision.kind));
    if (decision.predicate && decision.kind == DecisionKind::repeat)
      fail(Code::invalid_argument, "A repeat has a count and asks no function.");
    if (range.buffer)
      fail(Code::invalid_argument, "{} {} and can't read buffer '{}' too.", one(decision.kind, 'A'),
           decision.predicate ? "asks a function" : "has a count", range.buffer->label);
    return command;
  }
  if (!range.buffer)
    fail(Code::invalid_argument, "{} has no condition: give it a buffer or a function.",
         one(decision.kind, 'A'));
  if (range.size_bytes != sizeof(std::uint32_t) || range.offset_bytes % sizeof(std::uint32_t) != 0)
    fail(Code::invalid_argument,
         "The condition of {} is a uint32, so 4 bytes at a multiple of 4; {} is not.",
         one(decision.kind), describe(range));
  std::uint32_t place = 0;  // for the check
  command.work = Read{range, std::as_writable_bytes(std::span(&place, 1))};
  validate(command);
  std::get<Read>(command.work).target = {};
  return command;
}

}  // namespace

NodeId Graph::add_decision(const Decision& decision, const BufferRange& condition,
                           const NodeOptions& options) {
  check_branches(decision);
  for (const auto& branch : decision.branches) check_inner(*branch);
  const Command command =
      condition_command(decision, condition, {Barrier{}, options.label, options.scope});
  auto payload = std::make_shared<NodePayload>();
  payload->decision = std::make_shared<const Decision>(decision);
  const NodeId id = add_node(command, std::move(payload), options.after, EdgeKind::asked);
  for (const auto& branch : decision.branches) depth_ = std::max(depth_, branch->depth_ + 1);
  return id;
}

void Graph::replace(NodeId id, const Decision& decision, const BufferRange& condition) {
  const Node& old = node(id);
  if (!old.decides())
    fail(Code::invalid_argument, "{} decides nothing and can't be replaced by {}.", describe(id),
         one(decision.kind));
  // As if it were new, so that there is one way to check and to make it.
  Graph alone;
  alone.add_decision(decision, condition, {.label = old.command.label, .scope = old.command.scope});
  depth_ = std::max(depth_, alone.depth_);
  set_node(id, std::move(alone.nodes_.front()));
}

NodeId Graph::add_if(const Condition& condition, const Graph& then, const NodeOptions& options) {
  return add_decision({.kind = DecisionKind::if_else,
                       .predicate = condition.predicate,
                       .branches = {copy_of(then)}},
                      condition.range, options);
}

NodeId Graph::add_if(const Condition& condition, const Graph& then, const Graph& otherwise,
                     const NodeOptions& options) {
  return add_decision({.kind = DecisionKind::if_else,
                       .predicate = condition.predicate,
                       .branches = {copy_of(then), copy_of(otherwise)}},
                      condition.range, options);
}

NodeId Graph::add_while(const Condition& condition, const Graph& body, const NodeOptions& options,
                        const LoopLimits& limits) {
  return add_decision({.kind = DecisionKind::while_loop,
                       .predicate = condition.predicate,
                       .limits = limits,
                       .branches = {copy_of(body)}},
                      condition.range, options);
}

NodeId Graph::add_switch(const Condition& condition, std::span<const Graph> branches,
                         const NodeOptions& options) {
  Decision decision{.kind = DecisionKind::switch_case, .predicate = condition.predicate};
  for (const Graph& branch : branches) decision.branches.push_back(copy_of(branch));
  return add_decision(decision, condition.range, options);
}

NodeId Graph::add_repeat(std::uint64_t count, const Graph& body, const NodeOptions& options) {
  return add_decision({.kind = DecisionKind::repeat, .count = count, .branches = {copy_of(body)}},
                      {}, options);
}

std::string describe(const Decision& decision) {
  std::string text = to_string(decision.kind);
  if (decision.kind == DecisionKind::switch_case)
    return text + fmt::format(" of {} graphs", decision.branches.size());
  if (decision.kind == DecisionKind::repeat) text += fmt::format(" {}", decision.count);
  text += fmt::format(" of {}", decision.branches.front()->node_count());
  if (decision.branches.size() == 2)
    text += fmt::format(", else {}", decision.branches.back()->node_count());
  return text;
}

std::string branch_name(const Decision& decision, std::size_t branch) {
  switch (decision.kind) {
    case DecisionKind::if_else:
      return branch == 0 ? "then" : "else";
    case DecisionKind::switch_case:
      return fmt::format("case {}", branch);
    case DecisionKind::while_loop:
    case DecisionKind::repeat:
      break;
  }
  return "body";
}

const char* to_string(DecisionKind kind) noexcept {
  switch (kind) {
    case DecisionKind::if_else:
      return "if";
    case DecisionKind::while_loop:
      return "while";
    case DecisionKind::switch_case:
      return "switch";
    case DecisionKind::repeat:
      return "repeat";
  }
  return "decision";
}

}  // namespace reel
