// graph_exec_state.hpp - what a GraphExec holds: the plan, the backend's executable, and the
// parameters as they stand after all changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/commands/kept_command.hpp"
#include "reel/graph_exec.hpp"
#include "reel/ids.hpp"
#include "runtime/driver.hpp"
#include "runtime/graphs/stand_ins.hpp"

namespace reel {

class DecidingExecutable;
class DeviceState;

// One step with its present parameters.
struct StepParameters : KeptCommand {
  bool enabled = true;
  bool changed = false;  // the graph doesn't know yet
};

class GraphExecState {
 public:
  static constexpr std::string_view handle = "GraphExec";
  static constexpr std::string_view gone =
      "on an empty GraphExec; make one with Graph::instantiate()";

  GraphExecState(const Graph& graph, std::shared_ptr<DeviceState> owner,
                 const InstantiateOptions& options);
  ~GraphExecState();
  // With the same temporaries: for launches that never run at the same time.
  std::unique_ptr<GraphExecState> clone() const;
  // With temporaries of its own.
  std::unique_ptr<GraphExecState> independent_clone() const;

  void set_argument(NodeId node, std::size_t index, Argument argument);
  void set_groups(NodeId node, Dim3 groups);
  void set_data(NodeId node, std::span<const std::byte> data);
  void set_enabled(NodeId node, bool enabled);
  bool enabled(NodeId node) const;
  void bind(NodeId node, std::size_t index, const Buffer& buffer);
  void bind(std::span<const std::pair<std::string_view, Buffer>> names);
  std::optional<GraphDifference> update(const Graph& given);
  // The node, which has work, does this from now on. The caller has seen to it that it is sound, of
  // the same kind, with the same buffers, and that it asks for no other order.
  void refresh(NodeId node, const Command& next);

  const Graph& graph() const;       // brought up to date first
  Graph graph_as_launched() const;  // without the work of disabled nodes
  // Null where nothing is decided.
  DecidingExecutable* deciding() const noexcept { return deciding_; }
  GraphExec& branch(NodeId node, std::size_t index);
  LoweredPlan& lowered() { return *lowered_; }
  const LoweredPlan& lowered() const { return *lowered_; }
  // Where nothing is decided.
  Executable& executable() { return static_cast<Executable&>(*lowered_); }
  const Executable& executable() const { return static_cast<const Executable&>(*lowered_); }
  const Plan& plan() const noexcept { return *plan_; }
  const std::shared_ptr<const Plan>& shared_plan() const noexcept { return plan_; }

  const std::vector<StepParameters>& steps() const noexcept { return steps_; }
  // Of all its parameters, those of branches and of what it is a branch of, too.
  std::uint64_t version() const noexcept { return root().version_; }
  // A clone with the parameters of now, for launches that go on while these may change. Those of
  // one stream share it, since they are never under way at the same time.
  std::shared_ptr<GraphExecState> runner_for(StreamId stream);
  // Of its temporaries; a branch's are those of the whole.
  void add_temporaries(Footprint& footprint) const noexcept;

  const std::shared_ptr<DeviceState> device;
  std::string launch_name;  // may be empty
  // The recorder's own: in which capture it has a number, and which.
  std::uint32_t recorded_in = 0, recorded_graph = 0;

 private:
  using Parameters = StepParameters;
  // Kernels of another device, built for this one; shared by an exec and its branches.
  using BuiltKernels = std::unordered_map<const KernelResource*, std::shared_ptr<KernelResource>>;
  // One place where a step names a buffer: an argument, or one of the ranges of other work.
  struct Use {
    std::uint32_t step, slot;
  };

  // A graph that has passed update()'s checks, with what was made of it.
  struct Prepared {
    Graph next;
    Plan plan;
    std::vector<Prepared> branches;  // of all its decisions, in order
  };
  using Uses = std::unordered_map<const BufferResource*, std::uint32_t>;
  struct Change {
    GraphExecState* state;
    Use use;
    BufferRange range;
  };

  GraphExecState(const Graph& graph, std::shared_ptr<DeviceState> owner,
                 const InstantiateOptions& options, StandIns stand_ins);
  // The graph has its buffers already. `parent`: the exec that this is a branch of.
  GraphExecState(Graph graph, std::shared_ptr<DeviceState> owner, std::string name,
                 const PlanOptions& options, StandIns stand_ins,
                 std::shared_ptr<BuiltKernels> kernels, GraphExecState* parent);
  GraphExecState(const GraphExecState& other);
  void build_kernels_for(Plan& plan);
  void prepare_steps();
  // What the graph doesn't tell of an exec: names that were bound, nodes that are off.
  void take_after(const GraphExecState& other);
  void lower();
  // Of its branches, each as a GraphExecState&.
  template <class F>
  void for_each_branch(F&& visit) const;
  const GraphExecState& root() const noexcept { return parent_ ? parent_->root() : *this; }
  void add_uses(Uses& sum) const;  // with those of branches
  std::uint32_t uses_of(const BufferResource* buffer) const;
  // The graph knows nothing of it yet.
  void mark_changed(std::uint32_t step);
  void count_change() noexcept;
  Decision decision_of(std::uint32_t step, bool as_launched) const;
  std::uint32_t step_of(NodeId node, std::string_view operation) const;
  Dispatch& dispatch_of(NodeId node, std::string_view operation);
  BufferRange& range_at(const Use& use);
  void check_bound(const Use& use, const BufferRange& range) const;
  void apply(const Use& use, const BufferRange& range);
  void keep(const BufferRange& range);
  void check_new_buffer(const BufferRange& range, const BufferRange& old) const;
  void count_uses();
  // What `name` stands for here and in branches becomes `buffer`.
  void collect_changes(std::string_view name, const Buffer& buffer, const BufferResource*& old,
                       Uses& left, std::vector<Change>& changes);
  std::optional<GraphDifference> first_obstacle(const Graph& next, const Plan& plan) const;
  std::optional<GraphDifference> prepare(Prepared& prepared) const;
  void take_over(std::uint32_t step, const Command& next);
  void take_over(Prepared&& prepared);
  std::optional<GraphDifference> update_branch(const GraphExecState& branch, const Graph& given);

  PlanOptions options_;
  StandIns stand_ins_;
  std::shared_ptr<const Plan> plan_;
  mutable Graph graph_;
  mutable std::vector<Parameters> steps_;
  mutable bool graph_is_stale_ = false;
  std::vector<std::uint32_t> step_of_node_;
  std::unordered_map<const BufferResource*, std::uint32_t> uses_;
  std::unordered_map<std::string, std::vector<Use>> by_name_;
  // Buffers and kernels that the plan doesn't keep: bound later, built for this device.
  std::unordered_map<const BufferResource*, std::shared_ptr<BufferResource>> bound_;
  std::shared_ptr<BuiltKernels> kernels_;
  GraphExecState* parent_ = nullptr;
  std::unique_ptr<LoweredPlan> lowered_;
  DecidingExecutable* deciding_ = nullptr;  // lowered_, where it is one

  struct Runner {
    StreamId stream;
    std::uint64_t version;
    std::shared_ptr<GraphExecState> exec;
  };
  std::uint64_t version_ = 1;    // of the whole; not counted in branches
  std::vector<Runner> runners_;  // the oldest first
};

GraphExecState& state_of(const GraphExec& exec, std::string_view operation);

}  // namespace reel
