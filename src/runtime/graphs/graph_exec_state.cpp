#include "runtime/graphs/graph_exec_state.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "graph/commands/access.hpp"
#include "graph/commands/kernel_forms.hpp"
#include "graph/commands/resource.hpp"
#include "graph/graph_buffers.hpp"
#include "graph/node_payload.hpp"
#include "graph/order/validate.hpp"
#include "runtime/check.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/deciding_executable.hpp"

namespace reel {

namespace {

constexpr std::uint32_t no_step = ~std::uint32_t{0};

// Where a decision reads its condition; nowhere if it reads none.
BufferRange source_of(const Command& command) {
  const auto* read = std::get_if<Read>(&command.work);
  return read ? read->source : BufferRange();
}

// A kernel that was loaded may be a C++ function, which a file can only name.
KernelSource source_of(const KernelResource& kernel) {
  KernelSource source = kernel.source;
  if (kernel.device || source.host) return source;
  source.host = find_host_kernel(source.name);
  if (forms_given(source).empty())
    fail(Code::invalid_argument,
         "Kernel '{}' was saved as a C++ function, of which a file holds only the name, and this "
         "process knows none of that name; "
         "register_host_kernel() gives it one.",
         source.name);
  return source;
}

}  // namespace

void GraphExecState::build_kernels_for(Plan& plan) {
  for (Step& step : plan.steps) {
    auto* dispatch = std::get_if<Dispatch>(&step.command.work);
    if (!dispatch || dispatch->kernel->device == device) continue;
    auto [it, is_new] = kernels_->try_emplace(dispatch->kernel);
    if (is_new)
      it->second = resource_of(make_handle<Device>(device).kernel(source_of(*dispatch->kernel)));
    dispatch->kernel = it->second.get();
  }
}

GraphExecState::GraphExecState(const Graph& graph, std::shared_ptr<DeviceState> owner,
                               const InstantiateOptions& options)
    : GraphExecState(graph, owner, options, StandIns(graph, owner, options.buffers)) {}

GraphExecState::GraphExecState(const Graph& graph, std::shared_ptr<DeviceState> owner,
                               const InstantiateOptions& options, StandIns stand_ins)
    : GraphExecState(stand_ins.applied_to(graph), std::move(owner), options.name,
                     {.relax_order = options.relax_order, .reorder = options.reorder}, stand_ins,
                     std::make_shared<BuiltKernels>(), nullptr) {}

GraphExecState::GraphExecState(Graph graph, std::shared_ptr<DeviceState> owner, std::string name,
                               const PlanOptions& options, StandIns stand_ins,
                               std::shared_ptr<BuiltKernels> kernels, GraphExecState* parent)
    : device(std::move(owner)),
      launch_name(std::move(name)),
      options_(options),
      stand_ins_(std::move(stand_ins)),
      graph_(std::move(graph)),
      kernels_(std::move(kernels)),
      parent_(parent) {
  Plan plan = make_plan(graph_, options_);
  build_kernels_for(plan);
  for (const Step& step : plan.steps) check(step.command, *device);
  plan_ = std::make_shared<const Plan>(std::move(plan));
  prepare_steps();
  lower();
}

void GraphExecState::lower() {
  if (std::ranges::none_of(plan_->steps, &Step::decides)) {
    lowered_ = device->driver().instantiate(plan_);
    return;
  }
  std::vector<std::vector<GraphExec>> branches;
  for (const Step& step : plan_->steps) {
    if (!step.decides()) continue;
    auto& list = branches.emplace_back();
    for (const auto& branch : step.payload->decision->branches)
      list.push_back(make_handle<GraphExec>(std::unique_ptr<GraphExecState>(
          new GraphExecState(*branch, device, launch_name, options_, stand_ins_, kernels_, this))));
  }
  auto deciding =
      std::make_unique<DecidingExecutable>(*this, *plan_, device->driver(), std::move(branches));
  deciding_ = deciding.get();
  lowered_ = std::move(deciding);
}

GraphExecState::GraphExecState(const GraphExecState& other)
    : device(other.device),
      launch_name(other.launch_name),
      options_(other.options_),
      stand_ins_(other.stand_ins_),
      plan_(other.plan_),
      graph_(other.graph()),
      steps_(other.steps_),
      step_of_node_(other.step_of_node_),
      uses_(other.uses_),
      by_name_(other.by_name_),
      bound_(other.bound_),
      kernels_(other.kernels_) {
  if (!other.deciding_) {
    lowered_ = other.executable().clone();
    return;
  }
  auto deciding = other.deciding_->clone_for(*this);
  deciding_ = deciding.get();
  lowered_ = std::move(deciding);
  for_each_branch([&](GraphExecState& branch) { branch.parent_ = this; });
}

template <class F>
void GraphExecState::for_each_branch(F&& visit) const {
  if (!deciding_) return;
  for (auto& part : deciding_->parts())
    if (auto* choice = std::get_if<DecidingExecutable::Choice>(&part))
      for (const GraphExec& branch : choice->branches) visit(state_of(branch, "branch()"));
}

GraphExec& GraphExecState::branch(NodeId node, std::size_t index) {
  const std::uint32_t step = step_of(node, "branch()");
  if (!plan_->steps[step].decides())
    fail(Code::invalid_argument, "branch(): {} decides nothing, so it has no branches.",
         graph().describe(node));
  auto& branches = deciding_->choice(step).branches;
  if (index >= branches.size())
    fail(Code::invalid_argument, "branch(): {} has {} branch{}, so there is no branch {}.",
         graph().describe(node), branches.size(), branches.size() == 1 ? "" : "es", index);
  return branches[index];
}

GraphExecState::~GraphExecState() {
  if (device->is_inherited()) static_cast<void>(lowered_.release());
}

std::unique_ptr<GraphExecState> GraphExecState::clone() const {
  device->refuse_inherited();
  return std::unique_ptr<GraphExecState>(new GraphExecState(*this));
}

// Made anew of the graph: a grid that a dispatch finds in memory can't be exchanged in a copy.
std::unique_ptr<GraphExecState> GraphExecState::independent_clone() const {
  const std::shared_ptr<BufferResource> before = stand_ins_.temporaries();
  if (!before) return clone();
  device->refuse_inherited();
  StandIns own = stand_ins_;
  own.renew_temporaries(device);
  Graph mine = with_buffers(graph(), [&](const BufferResource& buffer) {
    return &buffer == before.get() ? StandIn{own.temporaries()} : StandIn();
  });
  std::unique_ptr<GraphExecState> copy(
      new GraphExecState(std::move(mine), device, launch_name, options_, std::move(own),
                         std::make_shared<BuiltKernels>(*kernels_), nullptr));
  copy->take_after(*this);
  return copy;
}

void GraphExecState::take_after(const GraphExecState& other) {
  // Ranges that were bound may ask for less order than those before them.
  if (std::ranges::equal(plan_->steps, other.plan_->steps, {}, &Step::node, &Step::node))
    by_name_ = other.by_name_;
  for (std::uint32_t i = 0; i < other.steps_.size(); ++i) {
    const NodeId node = other.plan_->steps[i].node;
    if (graph_.node(node).is_child()) continue;
    if (!other.steps_[i].enabled) set_enabled(node, false);
    if (!other.plan_->steps[i].decides()) continue;
    const auto& theirs = other.deciding_->choice(i).branches;
    const auto& mine = deciding_->choice(step_of(node, "clone()")).branches;
    for (std::size_t b = 0; b < theirs.size(); ++b)
      state_of(mine[b], "clone()").take_after(state_of(theirs[b], "clone()"));
  }
}

void GraphExecState::prepare_steps() {
  step_of_node_.assign(graph_.node_count(), no_step);
  steps_.resize(plan_->steps.size());
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    const Step& step = plan_->steps[i];
    const Parameters& p = steps_[i] = {KeptCommand(step.command)};
    if (std::holds_alternative<Dispatch>(p.command.work)) {
      for (std::uint32_t slot = 0; slot < p.arguments.size(); ++slot)
        if (p.arguments[slot].is_memory())
          by_name_[stand_ins_.label_of(*p.arguments[slot].range.buffer)].push_back({i, slot});
    } else {
      std::uint32_t slot = 0;
      for_each_transfer_range(p.command.work, [&](const BufferRange& range, Access) {
        by_name_[stand_ins_.label_of(*range.buffer)].push_back({i, slot++});
      });
    }
    if (!graph_.node(step.node).is_child()) step_of_node_[index_of(step.node)] = i;
  }
  count_uses();
}

void GraphExecState::count_uses() {
  uses_.clear();
  for (const Parameters& p : steps_)
    for_each_range(p.command.work, [&](const BufferRange& r, Access) { ++uses_[r.buffer]; });
}

void GraphExecState::add_uses(Uses& sum) const {
  for (const auto& [buffer, count] : uses_) sum[buffer] += count;
  for_each_branch([&](const GraphExecState& branch) { branch.add_uses(sum); });
}

std::uint32_t GraphExecState::uses_of(const BufferResource* buffer) const {
  const auto use = uses_.find(buffer);
  std::uint32_t sum = use == uses_.end() ? 0 : use->second;
  for_each_branch([&](const GraphExecState& branch) { sum += branch.uses_of(buffer); });
  return sum;
}

void GraphExecState::add_temporaries(Footprint& footprint) const noexcept {
  if (parent_) return;
  footprint.temporary_bytes = stand_ins_.temporary_bytes();
  footprint.packed_bytes = stand_ins_.packed_bytes();
  footprint.device_bytes += footprint.packed_bytes;
}

void GraphExecState::count_change() noexcept {
  GraphExecState* whole = this;
  while (whole->parent_) whole = whole->parent_;
  ++whole->version_;
}

std::shared_ptr<GraphExecState> GraphExecState::runner_for(StreamId stream) {
  constexpr std::size_t most_kept = 4;
  const std::uint64_t now = version();  // a branch may be launched by itself
  std::erase_if(runners_, [&](const Runner& runner) { return runner.version != now; });
  const auto known = std::ranges::find(runners_, stream, &Runner::stream);
  if (known != runners_.end()) return known->exec;
  // One that is let go lives on in the launches that need it.
  if (runners_.size() == most_kept) runners_.erase(runners_.begin());
  std::shared_ptr<GraphExecState> runner = clone();
  runner->deciding_->prepare();
  return runners_.emplace_back(Runner{stream, now, std::move(runner)}).exec;
}

void GraphExecState::mark_changed(std::uint32_t step) {
  count_change();
  steps_[step].changed = true;
  for (const GraphExecState* exec = this; exec; exec = exec->parent_) exec->graph_is_stale_ = true;
}

std::uint32_t GraphExecState::step_of(NodeId node, std::string_view operation) const {
  if (index_of(node) >= step_of_node_.size())
    fail(Code::invalid_argument, "{}: there is no node n{}; the graph has {}.", operation,
         index_of(node), step_of_node_.size());
  const std::uint32_t step = step_of_node_[index_of(node)];
  if (step == no_step)
    fail(Code::invalid_argument, "{}: {} is a {} and has no parameters of its own.", operation,
         graph_.describe(node), graph_.node(node).is_child() ? "child graph" : "barrier");
  return step;
}

Dispatch& GraphExecState::dispatch_of(NodeId node, std::string_view operation) {
  auto* dispatch = std::get_if<Dispatch>(&steps_[step_of(node, operation)].command.work);
  if (!dispatch)
    fail(Code::invalid_argument, "{}: {} is not a dispatch.", operation, graph_.describe(node));
  return *dispatch;
}

// --- one parameter ------------------------------------------------------------------------------

void GraphExecState::set_argument(NodeId node, std::size_t index, Argument argument) {
  const Dispatch& dispatch = dispatch_of(node, "set_argument()");
  const std::uint32_t step = step_of_node_[index_of(node)];
  Parameters& p = steps_[step];
  validate_argument(p.command, index, argument);
  const Argument& old = p.arguments[index];
  if (old.kind == ArgumentKind::value && old.value_bytes != argument.value_bytes)
    fail(Code::invalid_argument, "set_argument(): argument {} of {} has {} bytes, not {}.", index,
         graph_.describe(node), old.value_bytes, argument.value_bytes);
  if (old.is_outside())
    fail(Code::unsupported,
         "set_argument(): argument {} of {} has {} bytes; values of more than {} can't be changed.",
         index, graph_.describe(node), old.value_bytes, max_value_bytes);
  if (old.kind == ArgumentKind::shared && argument.shared_bytes > device->info().max_shared_bytes)
    fail(Code::invalid_argument,
         "set_argument(): argument {} of {} asks for {} bytes of shared memory; {} has {}.", index,
         graph_.describe(node), argument.shared_bytes, device->info().id,
         device->info().max_shared_bytes);
  if (old.kind == ArgumentKind::buffer) {
    check_argument_for_device(argument, index, dispatch.kernel->source.name, *device);
    check_new_buffer(argument.range, old.range);
    apply({step, static_cast<std::uint32_t>(index)}, argument.range);
    return;
  }
  lowered_->set_argument(step, static_cast<std::uint32_t>(index), argument);
  p.arguments[index] = argument;
  mark_changed(step);
}

// Order was worked out from the old ranges. A buffer that nothing else in the graph names can't
// conflict with anything, and a part of the old range conflicts with no more than the whole did.
void GraphExecState::check_new_buffer(const BufferRange& range, const BufferRange& old) const {
  if (range.buffer == old.buffer && range.offset_bytes >= old.offset_bytes &&
      range.offset_bytes + range.size_bytes <= old.offset_bytes + old.size_bytes)
    return;
  const std::uint32_t own = range.buffer == old.buffer ? 1 : 0;
  if (root().uses_of(range.buffer) <= own) return;
  fail(Code::invalid_argument,
       "Buffer '{}' is named elsewhere in the graph, whose order was worked out without this use; "
       "bind by name, or build and instantiate the graph anew.",
       range.buffer->label);
}

BufferRange& GraphExecState::range_at(const Use& use) {
  Parameters& p = steps_[use.step];
  if (!p.arguments.empty()) return p.arguments[use.slot].range;
  BufferRange* found = nullptr;
  std::uint32_t slot = 0;
  for_each_transfer_range(p.command.work, [&](BufferRange& range, Access) {
    if (slot++ == use.slot) found = &range;
  });
  return *found;
}

void GraphExecState::keep(const BufferRange& range) {
  bound_.try_emplace(range.buffer, range.buffer->shared_from_this());
}

void GraphExecState::apply(const Use& use, const BufferRange& range) {
  Parameters& p = steps_[use.step];
  BufferRange& place = range_at(use);
  const BufferRange old = place;
  keep(range);
  place = range;
  try {
    if (std::holds_alternative<Dispatch>(p.command.work))
      lowered_->set_argument(use.step, use.slot, p.arguments[use.slot]);
    else
      lowered_->replace(use.step, p.command);
  } catch (...) {
    place = old;
    throw;
  }
  if (const auto it = uses_.find(old.buffer); it != uses_.end() && --it->second == 0) {
    uses_.erase(it);
    bound_.erase(old.buffer);
  }
  ++uses_[range.buffer];
  keep(range);
  mark_changed(use.step);
}

void GraphExecState::set_groups(NodeId node, Dim3 groups) {
  Dispatch& dispatch = dispatch_of(node, "set_grid()");
  if (dispatch.indirect.buffer)
    fail(Code::invalid_argument, "set_grid(): {} takes its grid from buffer '{}'.",
         graph_.describe(node), dispatch.indirect.buffer->label);
  if (dispatch.items != unset_dim)
    fail(Code::invalid_argument,
         "set_grid(): {} is launched by items that don't fill its groups; replace the node to "
         "change them.",
         graph_.describe(node));
  check_groups(groups, dispatch.kernel->source.name, *device);
  const std::uint32_t step = step_of_node_[index_of(node)];
  lowered_->set_groups(step, groups);
  dispatch.groups = groups;
  mark_changed(step);
}

void GraphExecState::set_data(NodeId node, std::span<const std::byte> data) {
  const std::uint32_t step = step_of(node, "set_data()");
  Parameters& p = steps_[step];
  auto* write = std::get_if<Write>(&p.command.work);
  if (!write) fail(Code::invalid_argument, "set_data(): {} is not a write.", graph_.describe(node));
  if (data.size() != write->target.size_bytes)
    fail(Code::invalid_argument, "set_data(): {} writes {} bytes, not {}.", graph_.describe(node),
         write->target.size_bytes, data.size());
  if (!data.data() && !data.empty())
    fail(Code::invalid_argument, "set_data(): {} is given {} bytes at a null address.",
         graph_.describe(node), data.size());
  p.replace(Write{write->target, data});
  lowered_->replace(step, p.command);
  mark_changed(step);
}

void GraphExecState::set_enabled(NodeId node, bool enabled) {
  const std::uint32_t step = step_of(node, "set_enabled()");
  count_change();
  lowered_->set_enabled(step, enabled);
  steps_[step].enabled = enabled;
}

bool GraphExecState::enabled(NodeId node) const {
  return steps_[step_of(node, "enabled()")].enabled;
}

void GraphExecState::bind(NodeId node, std::size_t index, const Buffer& buffer) {
  const Dispatch& dispatch = dispatch_of(node, "bind()");
  if (index >= dispatch.arguments.size() || dispatch.arguments[index].kind != ArgumentKind::buffer)
    fail(Code::invalid_argument, "bind(): argument {} of {} is not a buffer.", index,
         graph_.describe(node));
  const BufferRange& old = dispatch.arguments[index].range;
  set_argument(node, index, BufferRange(buffer, old.offset_bytes, old.size_bytes));
}

// A kernel takes memory from some addresses only; copies and fills take it from any.
void GraphExecState::check_bound(const Use& use, const BufferRange& range) const {
  const Command& command = steps_[use.step].command;
  if (const auto* dispatch = std::get_if<Dispatch>(&command.work))
    return check_argument_for_device(Argument(range), use.slot, dispatch->kernel->source.name,
                                     *device);
  Command bound = command;
  std::uint32_t slot = 0;
  for_each_transfer_range(bound.work, [&](BufferRange& place, Access) {
    if (slot++ == use.slot) place = range;
  });
  check_for_device(bound, *device);
}

void GraphExecState::collect_changes(std::string_view name, const Buffer& buffer,
                                     const BufferResource*& old, Uses& left,
                                     std::vector<Change>& changes) {
  if (const auto found = by_name_.find(std::string(name)); found != by_name_.end()) {
    for (const Use& use : found->second) {
      const BufferRange& range = range_at(use);
      if (!old) old = range.buffer;
      if (range.buffer != old)
        fail(Code::invalid_argument,
             "bind(): several buffers of the graph are labelled '{}'; bind by node.", name);
      changes.push_back({this, use, BufferRange(buffer, range.offset_bytes, range.size_bytes)});
      check_bound(use, changes.back().range);
      --left[old];
    }
  }
  for_each_branch(
      [&](GraphExecState& branch) { branch.collect_changes(name, buffer, old, left, changes); });
}

void GraphExecState::bind(std::span<const std::pair<std::string_view, Buffer>> names) {
  // All are checked before any is changed.
  std::vector<Change> changes;
  Uses here, left;
  add_uses(here);
  for (const auto& [name, buffer] : names) {
    const BufferResource* old = nullptr;
    collect_changes(name, buffer, old, here, changes);
    if (!old)
      fail(Code::invalid_argument, "bind(): no buffer of the graph is labelled '{}'.", name);
    if (here[old] != 0 && old != resource_of(buffer).get())
      fail(Code::invalid_argument,
           "bind(): buffer '{}' is also the grid of an indirect dispatch, or the predicate of one, "
           "and can't be exchanged.",
           name);
  }
  // Of a branch: what the rest of the whole names counts, too.
  root().add_uses(left);
  for (const Change& change : changes) --left[change.state->range_at(change.use).buffer];
  for (const auto& [name, buffer] : names) {
    if (left[resource_of(buffer).get()]++ != 0)
      fail(Code::invalid_argument,
           "bind(): buffer '{}' is named elsewhere in the graph, so '{}' would share it; order was "
           "worked out for two separate buffers. To swap two, give both names in one call.",
           buffer.label(), name);
  }
  for (const Change& change : changes) change.state->apply(change.use, change.range);
}

Graph GraphExecState::graph_as_launched() const {
  Graph result = graph();
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    const NodeId node = plan_->steps[i].node;
    if (!plan_->steps[i].decides()) {
      if (!steps_[i].enabled) result.replace(node, {Barrier{}});
    } else if (!graph_.node(node).is_child()) {
      if (steps_[i].enabled)
        result.replace(node, decision_of(i, true), source_of(steps_[i].command));
      else  // no rounds of nothing
        result.replace(node,
                       {.kind = DecisionKind::repeat, .branches = {std::make_shared<Graph>()}}, {});
    }
  }
  return result;
}

Decision GraphExecState::decision_of(std::uint32_t step, bool as_launched) const {
  const DecidingExecutable::Choice& choice = deciding_->choice(step);
  Decision decision = *choice.decision;
  for (std::size_t i = 0; i < choice.branches.size(); ++i) {
    const GraphExecState& branch = state_of(choice.branches[i], "graph()");
    decision.branches[i] =
        std::make_shared<const Graph>(as_launched ? branch.graph_as_launched() : branch.graph());
  }
  return decision;
}

// --- the graph as it stands ---------------------------------------------------------------------

const Graph& GraphExecState::graph() const {
  if (!graph_is_stale_) return graph_;
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    Parameters& p = steps_[i];
    const bool decides = plan_->steps[i].decides();  // then a branch may have changed
    if (!p.changed && !decides) continue;
    p.changed = false;
    const NodeId node = plan_->steps[i].node;
    if (graph_.node(node).is_child()) continue;
    if (decides)
      graph_.replace(node, decision_of(i, false), source_of(p.command));
    else
      graph_.replace(node, p.command);
  }
  graph_is_stale_ = false;
  return graph_;
}

}  // namespace reel
