// graph_exec_update.cpp - GraphExec::update: take over the parameters of a graph of the same
// topology, or say why not.
#include <algorithm>

#include "graph/commands/access.hpp"
#include "graph/commands/describe.hpp"
#include "graph/commands/resource.hpp"
#include "graph/order/validate.hpp"
#include "runtime/check.hpp"
#include "runtime/graphs/graph_exec_state.hpp"

namespace reel {

namespace {

// Fields of Graph::diff that are part of what was lowered. Everything else is a parameter.
bool is_structural(const GraphDifference& difference) {
  std::string_view field = difference.field;
  if (field.starts_with("graph n")) field = field.substr(field.rfind(' ') + 1);  // of a child
  return field == "node_count" || field == "edges" || field == "kind" || field == "kernel" ||
         field == "group_size";
}

GraphDifference differs(const Step& step, std::string field, std::string before,
                        std::string after) {
  return {step.node, std::move(field), std::move(before), std::move(after)};
}

// Same kernel, shape and kinds of arguments.
std::optional<GraphDifference> dispatch_obstacle(const Step& step, const Dispatch& before,
                                                 const Dispatch& after) {
  // The kernel may be the same source built for another device.
  if (before.kernel->source.name != after.kernel->source.name)
    return differs(step, "kernel", before.kernel->source.name, after.kernel->source.name);
  const Dim3 a = before.group_size, b = after.group_size;
  if (a != b)
    return differs(step, "group_size", std::to_string(a.count()) + " items",
                   std::to_string(b.count()) + " items");
  if (before.arguments.size() != after.arguments.size())
    return differs(step, "argument_count", std::to_string(before.arguments.size()),
                   std::to_string(after.arguments.size()));
  if (before.offset != after.offset || before.items != after.items)
    return differs(step, "grid", "one offset or number of items", "another");
  const BufferRange &from = before.indirect, &to = after.indirect;
  if (from.buffer != to.buffer || from.offset_bytes != to.offset_bytes)
    return differs(step, "indirect", from.buffer ? from.buffer->label : "none",
                   to.buffer ? to.buffer->label : "none");
  for (std::size_t i = 0; i < before.arguments.size(); ++i) {
    const Argument &x = before.arguments[i], &y = after.arguments[i];
    const std::string field = "argument " + std::to_string(i);
    if (x.kind != y.kind) return differs(step, field, to_string(x.kind), to_string(y.kind));
    if (x.kind == ArgumentKind::value && x.value_bytes != y.value_bytes)
      return differs(step, field, std::to_string(x.value_bytes) + " bytes",
                     std::to_string(y.value_bytes) + " bytes");
    if (x.is_outside() && !(x == y)) return differs(step, field, describe(x), describe(y));
  }
  return std::nullopt;
}

}  // namespace

// What was lowered is the plan, so that is what must come out the same: hazards among the new
// ranges may ask for another order even where nodes and dependencies are equal.
std::optional<GraphDifference> GraphExecState::first_obstacle(const Graph& next,
                                                              const Plan& plan) const {
  for (GraphDifference& difference : Graph::diff(graph(), next))
    if (is_structural(difference)) return std::move(difference);
  if (plan.steps.size() != plan_->steps.size())
    return GraphDifference{std::nullopt, "child", std::to_string(plan_->steps.size()) + " steps",
                           std::to_string(plan.steps.size()) + " steps"};
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step &before = plan_->steps[i], &after = plan.steps[i];
    if (before.node != after.node || before.waits != after.waits ||
        before.barrier_before != after.barrier_before)
      return differs(before, "edges", "order inferred from the present ranges",
                     "another order, since other ranges conflict");
    if (before.command.work.index() != after.command.work.index())
      return differs(before, "kind", kind_name(before.command.work), kind_name(after.command.work));
    const auto* dispatch = std::get_if<Dispatch>(&before.command.work);
    if (!dispatch) continue;
    if (auto obstacle =
            dispatch_obstacle(before, *dispatch, std::get<Dispatch>(after.command.work)))
      return obstacle;
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
      if (value.is_memory()) keep(value.range);
      executable_->set_argument(step, i, value);
      p.arguments[i] = value;
    }
    return;
  }
  p.replace(next.work);
  for_each_access(p.command.work, [&](const BufferRange& range, Access) { keep(range); });
  executable_->replace(step, p.command);
}

std::optional<GraphDifference> GraphExecState::update(const Graph& given) {
  Graph next = stand_ins_.applied_to(given);
  Plan plan = make_plan(next, options_);
  if (auto obstacle = first_obstacle(next, plan)) return obstacle;
  for (std::size_t i = 0; i < steps_.size(); ++i) {  // all checks before any change
    Command& command = plan.steps[i].command;
    if (auto* dispatch = std::get_if<Dispatch>(&command.work))
      dispatch->kernel = std::get<Dispatch>(plan_->steps[i].command.work).kernel;
    validate(command);
    check_for_device(command, *device);
  }
  for (std::uint32_t i = 0; i < steps_.size(); ++i) take_over(i, plan.steps[i].command);
  count_uses();
  std::erase_if(bound_, [&](const auto& entry) { return !uses_.contains(entry.first); });
  graph_ = std::move(next);
  for (Parameters& p : steps_) p.changed = false;
  graph_is_stale_ = false;
  return std::nullopt;
}

}  // namespace reel
