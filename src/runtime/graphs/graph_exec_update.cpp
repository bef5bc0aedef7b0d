// graph_exec_update.cpp - GraphExec::update: take over the parameters of a graph of the same
// topology, or say why not.
#include <fmt/format.h>

#include <algorithm>

#include "graph/commands/access.hpp"
#include "graph/commands/describe.hpp"
#include "graph/commands/resource.hpp"
#include "graph/node_payload.hpp"
#include "graph/order/validate.hpp"
#include "runtime/check.hpp"
#include "runtime/graphs/deciding_executable.hpp"
#include "runtime/graphs/graph_exec_state.hpp"

namespace reel {

namespace {

// Fields of Graph::diff that are part of what was lowered. Everything else is a parameter.
bool is_structural(const GraphDifference& difference) {
  std::string_view field = difference.field;
  for (const std::string_view branch : {"then ", "else ", "body ", "case "})
    if (field.starts_with(branch)) return false;  // a branch looks for itself
  if (field.starts_with("graph n")) field = field.substr(field.rfind(' ') + 1);  // of a child
  return field == "node_count" || field == "edges" || field == "kind" || field == "kernel" ||
         field == "group_size" || field == "branches" || field == "condition";
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
  if (!(before.predicate == after.predicate))
    return differs(step, "predicate", describe(before.predicate), describe(after.predicate));
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

// Whether the graph can be taken over, here and in every branch.
std::optional<GraphDifference> GraphExecState::prepare(Prepared& prepared) const {
  prepared.plan = make_plan(prepared.next, options_);
  if (auto obstacle = first_obstacle(prepared.next, prepared.plan)) return obstacle;
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    Step& step = prepared.plan.steps[i];
    if (auto* dispatch = std::get_if<Dispatch>(&step.command.work))
      dispatch->kernel = std::get<Dispatch>(plan_->steps[i].command.work).kernel;
    validate(step.command);
    check_for_device(step.command, *device);
    if (!step.decides()) continue;
    const Decision& decision = *step.payload->decision;
    const auto& branches = deciding_->choice(i).branches;
    for (std::size_t b = 0; b < branches.size(); ++b) {
      Prepared& inner = prepared.branches.emplace_back(Prepared{*decision.branches[b], {}, {}});
      auto obstacle = state_of(branches[b], "update()").prepare(inner);
      if (!obstacle) continue;
      const std::string place =
          obstacle->node ? fmt::format("n{} ", index_of(*obstacle->node)) : std::string();
      return differs(step, fmt::format("{} {}{}", branch_name(decision, b), place, obstacle->field),
                     obstacle->before, obstacle->after);
    }
  }
  return std::nullopt;
}

void GraphExecState::take_over(std::uint32_t step, const Command& next) {
  Parameters& p = steps_[step];
  if (const auto* dispatch = std::get_if<Dispatch>(&next.work)) {
    auto& mine = std::get<Dispatch>(p.command.work);
    if (mine.groups != dispatch->groups) lowered_->set_groups(step, dispatch->groups);
    mine.groups = dispatch->groups;
    for (std::uint32_t i = 0; i < p.arguments.size(); ++i) {
      const Argument& value = dispatch->arguments[i];
      if (p.arguments[i] == value) continue;
      if (value.is_memory() && value.range.buffer != p.arguments[i].range.buffer) keep(value.range);
      lowered_->set_argument(step, i, value);
      p.arguments[i] = value;
    }
    return;
  }
  if (plan_->steps[step].decides()) {
    if (auto* read = std::get_if<Read>(&p.command.work)) {
      read->source = std::get<Read>(next.work).source;
      keep(read->source);
    }
    return;
  }
  p.replace(next.work);
  for_each_access(p.command.work, [&](const BufferRange& range, Access) { keep(range); });
  lowered_->replace(step, p.command);
}

void GraphExecState::refresh(NodeId node, const Command& next) {
  const std::uint32_t step = step_of_node_[index_of(node)];
  take_over(step, next);
  mark_changed(step);
}

void GraphExecState::take_over(Prepared&& prepared) {
  auto branch = prepared.branches.begin();
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    const Step& step = prepared.plan.steps[i];
    take_over(i, step.command);
    if (!step.decides()) continue;
    DecidingExecutable::Choice& choice = deciding_->choice(i);
    choice.decision = step.payload->decision;
    for (const GraphExec& exec : choice.branches)
      state_of(exec, "update()").take_over(std::move(*branch++));
  }
  count_uses();
  std::erase_if(bound_, [&](const auto& entry) { return !uses_.contains(entry.first); });
  graph_ = std::move(prepared.next);
  for (Parameters& p : steps_) p.changed = false;
  graph_is_stale_ = false;
  for (const GraphExecState* up = parent_; up; up = up->parent_) up->graph_is_stale_ = true;
}

// Order was worked out from what all branches touch, so the whole is updated, with one branch
// another.
std::optional<GraphDifference> GraphExecState::update_branch(const GraphExecState& branch,
                                                             const Graph& given) {
  Graph next = graph();
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    if (!plan_->steps[i].decides()) continue;
    const auto& branches = deciding_->choice(i).branches;
    for (std::size_t b = 0; b < branches.size(); ++b) {
      if (&state_of(branches[b], "update()") != &branch) continue;
      Decision decision = decision_of(i, false);
      decision.branches[b] = std::make_shared<const Graph>(given);
      const auto* read = std::get_if<Read>(&steps_[i].command.work);
      next.replace(plan_->steps[i].node, decision, read ? read->source : BufferRange());
    }
  }
  return update(next);
}

std::optional<GraphDifference> GraphExecState::update(const Graph& given) {
  if (parent_) return parent_->update_branch(*this, given);
  if (!stand_ins_.fits(given))
    return GraphDifference{std::nullopt, "temporaries", "shared as they live now", "other lives"};
  Prepared prepared{stand_ins_.applied_to(given), {}, {}};
  if (auto obstacle = prepare(prepared)) return obstacle;
  take_over(std::move(prepared));
  count_change();
  return std::nullopt;
}

}  // namespace reel
