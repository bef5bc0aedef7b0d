// graph_exec.hpp - a graph made ready for one device.
//
// Instantiating validates and lowers once; launching runs it as often as you like. Arguments
// may be changed between launches, in constant time; a launch already in flight keeps the ones
// it started with. Buffers and kernels that it names stay alive as long as it does.
// One thread at a time per GraphExec; clones are independent. One that was made by default or
// moved from is empty: every call on it but operator bool throws invalid_argument.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reel/graph.hpp"
#include "reel/stream.hpp"

namespace reel {

class GraphExecState;
class TimedLaunchState;

struct InstantiateOptions {  // of instantiate()
  bool relax_order = true;   // drop stream order that no hazard needs
  bool reorder = true;       // put independent nodes side by side, so that fewer barriers do
  // Which buffer to use for one that the graph names, by its name in Graph::buffers(); at least as
  // large. Buffers of a loaded graph that are not given here become zeroed memory of the exec.
  std::vector<std::pair<std::string, Buffer>> buffers = {};
  std::string name = {};  // of its launches, in documents
};

struct Footprint {                 // memory that it holds
  std::uint64_t host_bytes = 0;    // arguments, records, command buffers as far as known
  std::uint64_t device_bytes = 0;  // memory of the device held beside the graph's buffers
  // Of Graph::temporary(): what they add up to, and what they share; the latter in device_bytes.
  std::uint64_t temporary_bytes = 0, packed_bytes = 0;
};

struct NodeTime {  // when a node ran
  NodeId node;
  std::uint64_t begin_ns, end_ns;  // on the device's clock
};

// Times of one launch, ready when the launch is done. A cheap handle; moving one copies it.
class TimedLaunch {
 public:
  TimedLaunch(const TimedLaunch&) = default;
  TimedLaunch& operator=(const TimedLaunch&) = default;
  // Waits for the launch. One entry a node that ran, in the order they ran.
  std::vector<NodeTime> wait() const;

 private:
  friend class GraphExec;
  explicit TimedLaunch(std::shared_ptr<TimedLaunchState> state) : state_(std::move(state)) {}
  std::shared_ptr<TimedLaunchState> state_;
};

class GraphExec {
 public:
  GraphExec() noexcept;
  ~GraphExec();
  GraphExec(GraphExec&&) noexcept;
  GraphExec& operator=(GraphExec&&) noexcept;

  // On a stream under capture this adds the graph as a child node. What decisions lead to (a limit,
  // a case that isn't there) comes out of the next call that waits. Where a document is captured, a
  // launch that decides returns when its last decision is taken; not from a host call then.
  void launch(const Stream& stream) const;
  TimedLaunch launch_timed(const Stream& stream) const;  // with times of nodes

  // --- changes: for later launches only; wrong ones throw and change nothing -------------------
  void set_argument(NodeId node, std::size_t index, const Argument& argument);
  void set_grid(NodeId node, Dim3 groups);                      // of a dispatch
  void set_data(NodeId node, std::span<const std::byte> data);  // of a write; same size
  void set_enabled(NodeId node, bool enabled);                  // off: skipped
  bool enabled(NodeId node) const;                              // is it run?
  // Another buffer for one argument, or for every use of the buffer that had this label when the
  // graph was instantiated (by name: one step for each use). Since order was inferred from the
  // old buffers, a new one must not be one that the graph still names elsewhere; to swap two,
  // give both names in one call.
  void bind(NodeId node, std::size_t index, const Buffer& buffer);
  void bind(std::string_view name, const Buffer& buffer) { bind({{name, buffer}}); }
  void bind(std::initializer_list<std::pair<std::string_view, Buffer>> names);
  // Takes over all parameters of a graph of the same topology. Otherwise the first difference
  // that can't be taken over, and nothing is changed.
  std::optional<GraphDifference> update(const Graph& graph);

  // A branch of a node that decides, to be changed by the same calls: 0 is what an if, while or
  // repeat does, 1 what an if does else, k the case k. There as long as this exec is.
  GraphExec& branch(NodeId node, std::size_t index);

  GraphExec clone() const;  // one that is independent

  // --- looking ---------------------------------------------------------------------------------
  const Graph& graph() const;                   // with all changes made so far
  Device device() const;                        // for which it is
  std::size_t node_count() const;               // of the graph
  std::vector<NodeId> execution_order() const;  // as launched
  std::size_t barrier_count() const;  // barriers that a launch issues on devices that want them,
                                      // without those of branches
  // Memory that it holds.
  Footprint footprint() const;
  std::string lowering() const;  // how the backend runs it: "inline", "command buffer", …

  explicit operator bool() const noexcept { return state_ != nullptr; }

 private:
  friend struct detail::Inside;
  explicit GraphExec(std::unique_ptr<GraphExecState> state);
  friend GraphExecState& state_of(const GraphExec& exec, std::string_view operation);
  std::unique_ptr<GraphExecState> state_;
};

}  // namespace reel
