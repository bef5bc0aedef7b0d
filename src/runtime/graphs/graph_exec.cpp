#include "reel/graph_exec.hpp"

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "runtime/callback.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/deciding_executable.hpp"
#include "runtime/graphs/graph_exec_state.hpp"
#include "runtime/live.hpp"
#include "runtime/recorder.hpp"
#include "runtime/stream_state.hpp"

namespace reel {

namespace {

StreamState& stream_for(const GraphExecState& exec, const Stream& stream) {
  StreamState& state = state_of(stream, "GraphExec::launch()");
  if (state.device != exec.device)
    fail(Code::invalid_argument, "Stream '{}' belongs to device {}, the GraphExec to {}.",
         state.label, state.device->info().id, exec.device->info().id);
  return state;
}

}  // namespace

class TimedLaunchState {
 public:
  ~TimedLaunchState() {
    if (device && device->is_inherited())
      static_cast<void>(new std::shared_ptr<StepTimes>(std::move(times)));
  }

  std::shared_ptr<DeviceState> device;
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<Signal> done;
  RecordedPoint point;
  std::shared_ptr<StepTimes> times;
  std::mutex mutex;
  std::optional<std::vector<NodeTime>> collected;
};

std::vector<NodeTime> TimedLaunch::wait() const {
  state_->device->refuse_inherited();
  refuse_wait_in_callback(state_->device->info(), "TimedLaunch::wait()");
  const std::lock_guard lock(state_->mutex);
  if (!state_->collected) {
    {
      const HostWaits waits(state_->point);
      state_->done->wait();
    }
    state_->collected.emplace();
    for (const StepTime& time : state_->times->collect())
      state_->collected->push_back(
          {state_->plan->steps[time.step].node, time.begin_ns, time.end_ns});
  }
  return *state_->collected;
}

GraphExec Graph::instantiate(const Device& device) const { return instantiate(device, {}); }

GraphExec Graph::instantiate(const Device& device, const InstantiateOptions& options) const {
  state_of(device, "Graph::instantiate()");
  look_for_pass_wish();
  return make_handle<GraphExec>(std::make_unique<GraphExecState>(*this, state_of(device), options));
}

GraphExecState& state_of(const GraphExec& exec, std::string_view operation) {
  return live(exec.state_, operation);
}

GraphExec::GraphExec() noexcept = default;
GraphExec::GraphExec(std::unique_ptr<GraphExecState> state) : state_(std::move(state)) {}
GraphExec::~GraphExec() = default;
GraphExec::GraphExec(GraphExec&&) noexcept = default;
GraphExec& GraphExec::operator=(GraphExec&&) noexcept = default;

void GraphExec::launch(const Stream& stream) const {
  GraphExecState& exec = live(state_, "launch()");
  stream_for(exec, stream).launch(exec);
}

TimedLaunch GraphExec::launch_timed(const Stream& stream) const {
  GraphExecState& exec = live(state_, "launch_timed()");
  StreamState& target = stream_for(exec, stream);
  auto timed = std::make_shared<TimedLaunchState>();
  timed->device = exec.device;
  timed->plan = exec.shared_plan();
  timed->times = target.launch_timed(exec);
  timed->point = target.recorded_point();  // first: another thread may give something
  timed->done = target.mark(Stamped::no, "launch_timed()");
  return TimedLaunch(std::move(timed));
}

void GraphExec::set_argument(NodeId node, std::size_t index, const Argument& argument) {
  live(state_, "set_argument()").set_argument(node, index, argument);
}
void GraphExec::set_grid(NodeId node, Dim3 groups) {
  live(state_, "set_grid()").set_groups(node, groups);
}
void GraphExec::set_data(NodeId node, std::span<const std::byte> data) {
  live(state_, "set_data()").set_data(node, data);
}
void GraphExec::set_enabled(NodeId node, bool enabled) {
  live(state_, "set_enabled()").set_enabled(node, enabled);
}
bool GraphExec::enabled(NodeId node) const { return live(state_, "enabled()").enabled(node); }
void GraphExec::bind(NodeId node, std::size_t index, const Buffer& buffer) {
  live(state_, "bind()").bind(node, index, buffer);
}
void GraphExec::bind(std::initializer_list<std::pair<std::string_view, Buffer>> names) {
  live(state_, "bind()").bind(std::span(names.begin(), names.size()));
}
std::optional<GraphDifference> GraphExec::update(const Graph& graph) {
  return live(state_, "update()").update(graph);
}

GraphExec& GraphExec::branch(NodeId node, std::size_t index) {
  return live(state_, "branch()").branch(node, index);
}

GraphExec GraphExec::clone() const {
  return GraphExec(live(state_, "clone()").independent_clone());
}

const Graph& GraphExec::graph() const { return live(state_, "graph()").graph(); }
Device GraphExec::device() const { return make_handle<Device>(live(state_, "device()").device); }
std::size_t GraphExec::node_count() const {
  return live(state_, "node_count()").graph().node_count();
}

std::vector<NodeId> GraphExec::execution_order() const {
  const GraphExecState& exec = live(state_, "execution_order()");
  std::vector<NodeId> order;
  std::vector<bool> seen(exec.graph().node_count(), false);
  for (const Step& step : exec.plan().steps) {
    if (seen[index_of(step.node)]) continue;  // a later step of a child graph
    seen[index_of(step.node)] = true;
    order.push_back(step.node);
  }
  return order;
}

std::size_t GraphExec::barrier_count() const {
  GraphExecState& exec = live(state_, "barrier_count()");
  if (!exec.deciding()) return exec.plan().barriers;
  std::size_t count = 0;
  for (const auto& part : exec.deciding()->parts())
    if (const auto* straight = std::get_if<DecidingExecutable::Straight>(&part))
      count += straight->plan->barriers;
  return count;
}

Footprint GraphExec::footprint() const {
  const GraphExecState& exec = live(state_, "footprint()");
  Footprint result = exec.lowered().footprint();
  for (const Step& step : exec.plan().steps)
    result.host_bytes += sizeof(Step) + step.waits.size() * sizeof(step.waits[0]);
  exec.add_temporaries(result);
  return result;
}

std::string GraphExec::lowering() const {
  GraphExecState& exec = live(state_, "lowering()");
  if (exec.deciding()) exec.deciding()->prepare();
  return exec.lowered().lowering();
}

}  // namespace reel
