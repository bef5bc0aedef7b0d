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
#include "runtime/driver.hpp"
#include "runtime/graphs/stand_ins.hpp"

namespace reel {

class DeviceState;

class GraphExecState {
 public:
  static constexpr std::string_view handle = "GraphExec";
  static constexpr std::string_view gone =
      "on an empty GraphExec; make one with Graph::instantiate()";

  GraphExecState(const Graph& graph, std::shared_ptr<DeviceState> owner,
                 const InstantiateOptions& options);
  ~GraphExecState();
  std::unique_ptr<GraphExecState> clone() const;

  void set_argument(NodeId node, std::size_t index, Argument argument);
  void set_groups(NodeId node, Dim3 groups);
  void set_data(NodeId node, std::span<const std::byte> data);
  void set_enabled(NodeId node, bool enabled);
  bool enabled(NodeId node) const;
  void bind(NodeId node, std::size_t index, const Buffer& buffer);
  void bind(std::span<const std::pair<std::string_view, Buffer>> names);
  std::optional<GraphDifference> update(const Graph& given);

  const Graph& graph() const;       // brought up to date first
  Graph graph_as_launched() const;  // without the work of disabled nodes
  Executable& executable() { return *executable_; }
  const Executable& executable() const { return *executable_; }
  const Plan& plan() const noexcept { return *plan_; }
  const std::shared_ptr<const Plan>& shared_plan() const noexcept { return plan_; }

  // One step with its present parameters.
  struct Parameters : KeptCommand {
    bool enabled = true;
    bool changed = false;  // graph_ doesn't know yet
  };
  const std::vector<Parameters>& steps() const noexcept { return steps_; }

  const std::shared_ptr<DeviceState> device;
  const std::string launch_name;  // may be empty
  // The recorder's own: in which capture it has a number, and which.
  std::uint32_t recorded_in = 0, recorded_graph = 0;

 private:
  // One place where a step names a buffer: an argument, or one of the ranges of other work.
  struct Use {
    std::uint32_t step, slot;
  };

  GraphExecState(const GraphExecState& other);
  void prepare_steps();
  std::uint32_t step_of(NodeId node, std::string_view operation) const;
  Dispatch& dispatch_of(NodeId node, std::string_view operation);
  BufferRange& range_at(const Use& use);
  void check_bound(const Use& use, const BufferRange& range) const;
  void apply(const Use& use, const BufferRange& range);
  void keep(const BufferRange& range);
  void check_new_buffer(const BufferRange& range, const BufferRange& old) const;
  void count_uses();
  std::optional<GraphDifference> first_obstacle(const Graph& next, const Plan& plan) const;
  void take_over(std::uint32_t step, const Command& next);

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
  std::vector<std::shared_ptr<KernelResource>> kernels_;
  std::unique_ptr<Executable> executable_;
};

}  // namespace reel
